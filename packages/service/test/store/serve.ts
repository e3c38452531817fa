/**
 * Serves until it is killed, or told to end by SIGTERM: `serve.ts OPTIONS`, as JSON. Tells its port on one
 * line. What it cannot do is written to stderr and ends the process; what it reports is written there, too.
 */
import { destination, pino } from 'pino'
import { createIdentityService } from '../../src/service.ts'

const {
  port: wanted,
  clockSeconds = 0,
  logLevel = 'warn',
  drainSeconds = 0,
  ...options
} = JSON.parse(process.argv[2] ?? '{}')
const { now } = Date
Date.now = () => now() + clockSeconds * 1_000
const service = await createIdentityService({
  requestsPerSecond: 1_000_000,
  allowHttpOnLoopback: true,
  allowDeveloperMode: true,
  trustedProxies: ['127.0.0.1'],
  logger: pino({ level: logLevel }, destination(2)),
  ...options,
})
const { port } = await service.listen({ port: wanted ?? 0 })
process.once('SIGTERM', () => void service.close({ drainSeconds }))
process.stdout.write(`${port}\n`)
