import { performance } from 'node:perf_hooks'
import { start } from './parts/child.ts'
import { makeFolder, userId } from './parts/folder.ts'
import { get, load } from './parts/load.ts'
import { median, row } from './parts/numbers.ts'

/** How long a service on an existing data folder takes to start, and the memory it holds. */

const ROUNDS = 5
const REQUESTS = 10_000
const USERS = 10_000
const folder = await makeFolder(USERS)
const path = folder.copy()

const figures: Record<string, number[]> = { wall: [], cpu: [], started: [], served: [] }
for (let round = 0; round < ROUNDS; round++) {
  const begin = performance.now()
  const service = await start('service', path)
  figures.wall?.push(performance.now() - begin)
  figures.cpu?.push((await service.cpu()) * 1_000)
  figures.started?.push(await service.ask<number>('memory'))
  await load({
    port: service.port,
    connections: 16,
    requests: REQUESTS,
    request: (n) =>
      get(`/v1/tenants/${folder.tenantId}/users/${userId(n % USERS)}`, folder.headers),
  })
  figures.served?.push(await service.ask<number>('memory'))
  await service.stop()
}
folder.remove()

console.log(row('start, ms', median(figures.wall ?? [])))
console.log(row('start, CPU ms', median(figures.cpu ?? [])))
console.log(row('memory after start, MB', median(figures.started ?? [])))
console.log(row(`memory after ${REQUESTS} requests, MB`, median(figures.served ?? [])))
