import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createIdentityService } from '@latchkey/service'
import { serveCommands } from '../parts/child.ts'

/** The service on a data folder, or by other options: `service.ts FOLDER|JSON`. */

const [, , where = ''] = process.argv
const options = where.startsWith('{') ? JSON.parse(where) : { data: where }
const service = await createIdentityService({ ...options, requestsPerSecond: 10_000_000 })
const { port } = await service.listen()
const delay = monitorEventLoopDelay({ resolution: 1 })

serveCommands(
  port,
  {
    'watch delay'() {
      delay.enable()
      delay.reset()
    },
    /** In milliseconds, beyond the resolution of the timer. */
    delay: () => ({
      median: delay.percentile(50) / 1e6 - 1,
      p99: delay.percentile(99) / 1e6 - 1,
      max: delay.max / 1e6 - 1,
    }),
  },
  () => service.close(),
)
