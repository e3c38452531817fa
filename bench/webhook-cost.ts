import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, start, startFile } from './parts/child.ts'
import { type Folder, makeFolder, userId } from './parts/folder.ts'
import { load, post } from './parts/load.ts'
import { median, row } from './parts/numbers.ts'

/**
 * The CPU of a change at a service on SQLite, all that the service does meanwhile included: with no endpoint for events, and with
 * one that gets each of them; beside it, that of a process which sends as many signed requests and does nothing else.
 * `webhook-cost.ts ../before` adds another checkout of this repository, which is installed.
 *
 * Changes come at a steady rate, as a service without a pause would send events in batches.
 */
const [, , BEFORE] = process.argv

const ROUNDS = Number(process.env.ROUNDS ?? 15)
const WRITES = Number(process.env.WRITES ?? 400)
const PER_SECOND = Number(process.env.PER_SECOND ?? 100)
const USERS = 1_000

interface Contestant {
  readonly server: Child
  readonly folder: Folder
  /** How many events of each change it sends. */
  readonly events: number
  /** CPU of each round, in ms a change. */
  readonly cpu: number[]
}

let received = 0
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    received++
    response.writeHead(204).end()
  })
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')

const here = await makeFolder(USERS)
const servers: Record<string, Contestant> = {
  ...(BEFORE && { before: await enterBefore(BEFORE) }),
  'no endpoint': await enter(here.copy(), 0),
  'one endpoint': await enter(here.copy(), 1),
}

async function enter(data: string, events: number): Promise<Contestant> {
  const server = await start('service', JSON.stringify({ data, allowDeveloperMode: true }))
  const contestant = { server, folder: here, events, cpu: [] }
  if (events > 0) await addEndpoint(contestant)
  return contestant
}

async function enterBefore(checkout: string): Promise<Contestant> {
  const bench = resolve(checkout, 'bench')
  const { makeFolder } = await import(join(bench, 'parts/folder.ts'))
  const folder: Folder = await makeFolder(USERS)
  const args = [JSON.stringify({ data: folder.path, allowDeveloperMode: true })]
  const conditions = ['--conditions=latchkey-source']
  const server = await startFile(join(bench, 'servers/service.ts'), args, conditions)
  return { server, folder, events: 0, cpu: [] }
}

/** An endpoint on this machine, which a tenant in developer mode may have. */
async function addEndpoint({ server, folder }: Contestant): Promise<void> {
  const { port } = receiver.address() as AddressInfo
  const send = async (path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...folder.headers, 'content-type': 'application/json' },
      body: body ? JSON.stringify(body) : null,
    })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as { settings?: object }
  }
  const path = `/v1/tenants/${folder.tenantId}`
  const tenant = await send(path)
  await send(path, { ...tenant, settings: { ...tenant.settings, developer_mode: true } })
  await send(`/x${path}/webhooks`, { url: `http://127.0.0.1:${port}/` })
}

/** Changes users at a steady rate, and waits for all events. */
async function change({ server, folder, events }: Contestant, round: number): Promise<number> {
  const path = (n: number) => `/v1/tenants/${folder.tenantId}/users/${userId(n % USERS)}`
  const body = (n: number) => ({
    profile: { email: `user-${n % USERS}@example.com`, name: `Round ${round}` },
  })
  const expected = received + WRITES * events
  const before = await server.cpu()
  const begun = performance.now()
  const changes: Promise<unknown>[] = []
  for (let n = 0; n < WRITES; n++) {
    const early = begun + (n * 1_000) / PER_SECOND - performance.now()
    if (early > 0) await sleep(early)
    const request = () => post(path(n), body(n), folder.headers)
    changes.push(load({ port: server.port, connections: 1, requests: 1, request }))
  }
  await Promise.all(changes)
  while (received < expected) await sleep(20)
  return (((await server.cpu()) - before) / WRITES) * 1_000
}

const sender = await start('sender')
const bare: number[] = []

/** Sends requests without a service. */
async function send(): Promise<number> {
  const { port } = receiver.address() as AddressInfo
  const before = await sender.cpu()
  const url = `http://127.0.0.1:${port}/`
  await sender.ask('send', { url, count: WRITES, perSecond: PER_SECOND })
  return (((await sender.cpu()) - before) / WRITES) * 1_000
}

for (let round = -1; round < ROUNDS; round++) {
  for (const one of Object.values(servers)) {
    const cpu = await change(one, round)
    // The first round warms up.
    if (round >= 0) one.cpu.push(cpu)
  }
  const cpu = await send()
  if (round >= 0) bare.push(cpu)
}

const { cpu: plain = [] } = servers['no endpoint'] ?? {}
console.log(row(`${PER_SECOND} changes a second`, 'CPU, ms each', 'more, ms', 'ratio'))
for (const [name, { cpu }] of Object.entries(servers)) {
  const more = median(cpu.map((value, i) => value - (plain[i] ?? Number.NaN)))
  const ratio = median(cpu.map((value, i) => value / (plain[i] ?? Number.NaN)))
  console.log(row(name, median(cpu), more, ratio))
}
console.log(row('a bare request', median(bare)))
for (const { server } of Object.values(servers)) await server.stop()
await sender.stop()
receiver.close()
here.remove()
