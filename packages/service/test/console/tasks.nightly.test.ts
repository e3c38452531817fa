import { startChromium } from '../../../../test/support/engines/chromium.ts'
import { firefoxMissing, startFirefox } from '../../../../test/support/engines/firefox.ts'
import { describeOperatorsDay } from './operators-day.ts'

const USERS = 200_000

describeOperatorsDay('Chromium', startChromium, USERS)
describeOperatorsDay('Chromium', startChromium, 0, { width: 390 })
describeOperatorsDay('Firefox', startFirefox, USERS, { missing: firefoxMissing() })
