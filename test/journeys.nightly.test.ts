import { describeJourneys } from './journeys/describe-journeys.ts'
import { firefoxMissing, startFirefox } from './support/engines/firefox.ts'
import { startWebkit, webkitMissing } from './support/engines/webkit.ts'

describeJourneys('Firefox', startFirefox, firefoxMissing())
describeJourneys('WebKit', startWebkit, webkitMissing())
