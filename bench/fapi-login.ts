import { generateKeyPairSync } from 'node:crypto'
import { start } from './parts/child.ts'
import { type BenchClient, createLogins } from './parts/login.ts'
import { median, row } from './parts/numbers.ts'

/**
 * The service's CPU for a login on FAPI 2.0, beside one with a client secret: the same service on SQLite, with the password check
 * stubbed. A login on the profile is pushed (PAR), and redeemed with `private_key_jwt` and DPoP, ES256.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 7)
const LOGINS = Number(process.env.LOGINS ?? 150)
const CONCURRENCY = 8

const server = await start('issuer', 'sqlite', 'stubbed')
const [plain] = await server.ask<[BenchClient]>('clients')
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const fapi = await server.ask<BenchClient>('addFapi', publicKey.export({ format: 'jwk' }))

const contestants = [
  { name: 'client secret', client: plain },
  { name: 'FAPI 2.0', client: { ...fapi, key: privateKey } },
].map(({ name, client }) => ({
  name,
  logins: createLogins(server.port, client),
  full: [] as number[],
  again: [] as number[],
}))

/** CPU milliseconds of the service for each of the logins. */
async function measure(login: () => Promise<unknown>): Promise<number> {
  const before = await server.cpu()
  let left = LOGINS
  const work = async () => {
    while (left-- > 0) await login()
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return (((await server.cpu()) - before) / LOGINS) * 1000
}

for (let round = 0; round <= ROUNDS; round++) {
  for (const { logins, full, again } of contestants) {
    const [used, cookies] = [await measure(logins.full), await logins.full()]
    const repeated = await measure(() => logins.again(cookies))
    // The first round warms up.
    if (round > 0) full.push(used)
    if (round > 0) again.push(repeated)
  }
}
console.log(row('CPU ms', 'login', 'single sign-on'))
for (const { name, full, again } of contestants) console.log(row(name, median(full), median(again)))
for (const { logins } of contestants) logins.close()
await server.stop()
