import { createVirtualKey } from '../packages/testing/src/identity/virtual-key.ts'
import { start } from './parts/child.ts'
import { type BenchClient, createLogins } from './parts/login.ts'
import { median, row } from './parts/numbers.ts'

/**
 * Server CPU of a login with a passkey, beside one whose password check is stubbed, one at a bare
 * oidc-provider, and the hash of a password: the speed of the machine is in all of them.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const FLOWS = Number(process.env.FLOWS ?? 200)
/** Code that has run some thousand times costs a third of what it costs at first. */
const WARM_UP = Number(process.env.WARM_UP ?? 2_000)
const HASHES = 10
const AT_ONCE = Number(process.env.AT_ONCE ?? 8)

type Logins = ReturnType<typeof createLogins>

async function prepare(
  name: string,
  args: string[],
  flowOf: (logins: Logins) => Promise<() => Promise<unknown>>,
) {
  const server = await start(name, ...args)
  const [client] = await server.ask<[BenchClient]>('clients')
  const logins = createLogins(server.port, client)
  const flow = await flowOf(logins)

  /** CPU milliseconds of a login. */
  async function measure(count: number): Promise<number> {
    let left = count
    const before = await server.cpu()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (left-- > 0) await flow()
      }),
    )
    return (((await server.cpu()) - before) / count) * 1000
  }
  const stop = () => {
    logins.close()
    return server.stop()
  }
  return { server, measure, stop }
}

const withPassword = async (logins: Logins) => logins.full
const withKey = async (logins: Logins) => {
  const key = createVirtualKey()
  await logins.addKey(key)
  return () => logins.withKey(key)
}

const servers = {
  'bare oidc-provider, stubbed password': await prepare('bare-issuer', [], withPassword),
  'issuer, memory, stubbed password': await prepare('issuer', ['memory', 'stubbed'], withPassword),
  'issuer, memory, passkey': await prepare('issuer', ['memory', 'stubbed', '1', 'keys'], withKey),
  'issuer, SQLite, passkey': await prepare('issuer', ['sqlite', 'stubbed', '1', 'keys'], withKey),
}
const results = Object.entries(servers).map(([name, one]) => ({
  name,
  ...one,
  millis: [] as number[],
}))
const hashes: number[] = []
for (const { measure } of results) await measure(WARM_UP)
for (let round = 0; round < ROUNDS; round++) {
  for (const { measure, millis } of results) millis.push(await measure(FLOWS))
  hashes.push(await measureHash())
}

/** CPU milliseconds of the hash of a password. */
async function measureHash(): Promise<number> {
  const { server } = servers['issuer, SQLite, passkey']
  const before = await server.cpu()
  await server.ask('hashesPerSecond', HASHES)
  return (((await server.cpu()) - before) / HASHES) * 1000
}

console.log(row('CPU of one', 'ms', 'of a hash'))
console.log(row('hash of a password', median(hashes), 1))
for (const { name, millis } of results) {
  const shares = millis.map((value, round) => value / (hashes[round] as number))
  console.log(row(name, median(millis), median(shares)))
}
for (const { stop } of results) await stop()
