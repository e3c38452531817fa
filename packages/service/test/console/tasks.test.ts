import { startChromium } from '../../../../test/support/engines/chromium.ts'
import { describeOperatorsDay } from './operators-day.ts'

describeOperatorsDay('Chromium', startChromium, 0)
