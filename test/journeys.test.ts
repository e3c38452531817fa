import { describeJourneys } from './journeys/describe-journeys.ts'
import { startChromium } from './support/engines/chromium.ts'

describeJourneys('Chromium', startChromium)
