/**
 * Serves from a data folder until it is killed: `serve.ts FOLDER`. Tells its port on one line.
 * What it cannot do is written to stderr and ends the process.
 */
import { createIdentityService } from '../../src/service.ts'

const [, , data] = process.argv
const service = await createIdentityService({
  data,
  requestsPerSecond: 1_000_000,
  allowHttpOnLoopback: true,
  allowDeveloperMode: true,
  trustedProxies: ['127.0.0.1'],
})
const { port } = await service.listen()
process.stdout.write(`${port}\n`)
