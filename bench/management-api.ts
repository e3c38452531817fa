import { type Child, start } from './parts/child.ts'
import { makeFolder, userId } from './parts/folder.ts'
import { get, load, post } from './parts/load.ts'
import { median, row } from './parts/numbers.ts'

/**
 * Requests per second and server CPU per request of the management API on SQLite, beside a bare
 * Express route and bare inserts on the same table. Rounds are interleaved; medians are shown.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 7)
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 16)
const USERS = 10_000
const HASH = '$2b$10$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'

const folder = await makeFolder(USERS)
const service = await start('service', folder.copy())
const bare = await start('bare', folder.copy(), folder.tenantId)
const users = `/v1/tenants/${folder.tenantId}/users`
const profile = { name: 'Ada Lovelace', given_name: 'Ada', family_name: 'Lovelace' }

let made = 0
function newUser(): object {
  return {
    profile: { ...profile, email: `new-${made++}@example.com` },
    metadata: { crm: '12345', plan: 'gold' },
  }
}
const credential = { password: { alg: 'bcrypt', hash: HASH } }
let credentials = 0
const nextUser = () => userId(credentials++)
const one = (n: number) => userId((n * 7_919) % USERS)

const scenarios = {
  'GET one: bare Express': by(bare, 1_500, (n) => get(`/users/${one(n)}`)),
  'GET one': by(service, 1_500, (n) => get(`${users}/${one(n)}`, folder.headers)),
  'list of 100': by(service, 150, () => get(users, folder.headers)),
  'create user: bare inserts': {
    server: bare,
    requests: 400,
    run: () => bare.ask<number>('insert', 400),
  },
  'create user: bare Express': by(bare, 400, () => post('/users', newUser())),
  'create user': by(service, 400, () => post(users, newUser(), folder.headers)),
  'create bcrypt credential': by(service, 400, () =>
    post(`${users}/${nextUser()}/credentials`, credential, folder.headers),
  ),
}

function by(server: Child, requests: number, request: (n: number) => string) {
  const { port } = server
  return {
    server,
    requests,
    run: async () => (await load({ port, connections: CONNECTIONS, requests, request })).seconds,
  }
}

const rates = new Map<string, number[]>()
const cpus = new Map<string, number[]>()
for (let round = -2; round < ROUNDS; round++) {
  for (const [name, { server, requests, run }] of Object.entries(scenarios)) {
    const before = await server.cpu()
    const seconds = await run()
    const cpu = (await server.cpu()) - before
    if (round < 0) continue
    rates.set(name, [...(rates.get(name) ?? []), requests / seconds])
    cpus.set(name, [...(cpus.get(name) ?? []), (cpu / requests) * 1e6])
  }
}
await Promise.all([service.stop(), bare.stop()])
folder.remove()

console.log(row(`${CONNECTIONS} connections`, 'per second', 'CPU, µs each'))
for (const name of Object.keys(scenarios)) {
  console.log(row(name, median(rates.get(name) ?? []), median(cpus.get(name) ?? [])))
}
console.log(
  row('GET one, CPU against bare Express', ratio(cpus, 'GET one', 'GET one: bare Express')),
)
for (const peer of ['create user: bare inserts', 'create user: bare Express']) {
  console.log(row(`create user, rate against ${peer.slice(13)}`, ratio(rates, 'create user', peer)))
}

/** The median of the ratios within each round, which share the machine's mood. */
function ratio(figures: Map<string, number[]>, name: string, against: string): number {
  const peers = figures.get(against) ?? []
  return median((figures.get(name) ?? []).map((value, i) => value / (peers[i] ?? Number.NaN)))
}
