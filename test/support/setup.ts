import { chromiumPath, installChromium } from './chromium.ts'
import { installRedis, redisPath } from './redis-server.ts'

/** Runs before all tests: sees to what they need and npm does not bring. */
export function setup(): void {
  if (!chromiumPath()) installChromium()
  if (!redisPath()) installRedis()
}
