import { start } from './parts/child.ts'
import { makeFolder, userId } from './parts/folder.ts'
import { get, load, post } from './parts/load.ts'
import { quantile, row } from './parts/numbers.ts'

/** The delay of other requests while 16 password hashes are computed at once. */

const HASHES = 16
const folder = await makeFolder(1_000)
const service = await start('service', folder.copy())
const { port } = service
const users = `/v1/tenants/${folder.tenantId}/users`

interface Delay {
  median: number
  p99: number
  max: number
}

/** Reads over and over on one connection until `isOver`; answers with latencies and loop delay. */
async function read(isOver: () => boolean): Promise<{ latencies: number[]; delay: Delay }> {
  const latencies: number[] = []
  await service.ask('watch delay')
  while (!isOver()) {
    const request = (n: number) => get(`${users}/${userId(n)}`, folder.headers)
    latencies.push(...(await load({ port, connections: 1, requests: 50, request })).latencies)
  }
  return { latencies: latencies.sort((a, b) => a - b), delay: await service.ask<Delay>('delay') }
}

let reads = 0
await read(() => ++reads > 40)
reads = 0
const quiet = await read(() => ++reads > 20)

let isHashed = false
const hashing = load({
  port,
  connections: HASHES,
  requests: HASHES,
  request: (n) =>
    post(
      `${users}/${userId(n)}/credentials`,
      { password: { alg: 'plain', hash: `correct horse ${n}` } },
      folder.headers,
    ),
}).then((result) => {
  isHashed = true
  return result
})
const busy = await read(() => isHashed)
const { seconds } = await hashing
await service.stop()
folder.remove()

console.log(`${HASHES} hashes at once: ${seconds.toFixed(2)} s`)
console.log(row('milliseconds', 'GET median', 'GET p99', 'loop median', 'loop p99', 'loop max'))
for (const [name, { latencies, delay }] of Object.entries({ quiet, 'while hashing': busy })) {
  const [half, most] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
  console.log(row(name, half, most, delay.median, delay.p99, delay.max))
}
