import { start } from './parts/child.ts'
import { makeFolder, userId } from './parts/folder.ts'
import { get, load } from './parts/load.ts'
import { median, row } from './parts/numbers.ts'

/** Whether a page of a tenant's users costs the same wherever it lies in a long list. */

const USERS = Number(process.env.USERS ?? 1_000_000)
const ROUNDS = 7
const REQUESTS = 60

const folder = await makeFolder(USERS)
const service = await start('service', folder.path)
const path = `/v1/tenants/${folder.tenantId}/users`
const after = { first: -1, middle: USERS / 2, last: USERS - 101 }

const cpus = new Map<string, number[]>()
const latencies = new Map<string, number[]>()
for (let round = -2; round < ROUNDS; round++) {
  for (const [name, n] of Object.entries(after)) {
    const url = n < 0 ? path : `${path}?after=${userId(n)}`
    const request = () => get(url, folder.headers)
    const before = await service.cpu()
    const result = await load({ port: service.port, connections: 1, requests: REQUESTS, request })
    const cpu = (await service.cpu()) - before
    if (round < 0) continue
    cpus.set(name, [...(cpus.get(name) ?? []), (cpu / REQUESTS) * 1e6])
    latencies.set(name, [...(latencies.get(name) ?? []), median(result.latencies)])
  }
}
await service.stop()
folder.remove()

console.log(row(`${USERS} users, pages of 100`, 'CPU, µs each', 'median, ms'))
for (const name of Object.keys(after)) {
  console.log(row(`${name} page`, median(cpus.get(name) ?? []), median(latencies.get(name) ?? [])))
}
