import { createVirtualKey } from '../packages/testing/src/virtual-key.ts'
import { start } from './parts/child.ts'
import { type BenchClient, createLogins } from './parts/login.ts'
import { median, row } from './parts/numbers.ts'

/** Server CPU of a login with a passkey, beside one whose password check is stubbed. */

const ROUNDS = Number(process.env.ROUNDS ?? 7)
const FLOWS = Number(process.env.FLOWS ?? 100)

console.log(row('CPU ms of a login', 'passkey', 'stubbed password', 'ratio'))
for (const storage of ['memory', 'sqlite']) {
  const server = await start('issuer', storage, 'stubbed', '1', 'keys')
  const plain = await start('issuer', storage, 'stubbed')
  const [client] = await server.ask<[BenchClient]>('clients')
  const [plainClient] = await plain.ask<[BenchClient]>('clients')
  const logins = createLogins(server.port, client)
  const plainLogins = createLogins(plain.port, plainClient)
  const key = createVirtualKey()
  await logins.addKey(key)

  async function cpuOf(child: typeof server, flow: () => Promise<unknown>): Promise<number> {
    const before = await child.cpu()
    for (let i = 0; i < FLOWS; i++) await flow()
    return (((await child.cpu()) - before) / FLOWS) * 1000
  }
  const rounds: { withKey: number; withPassword: number }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const withKey = await cpuOf(server, () => logins.withKey(key))
    const withPassword = await cpuOf(plain, plainLogins.full)
    // The first round warms up.
    if (round > 0) rounds.push({ withKey, withPassword })
  }
  console.log(
    row(
      storage,
      median(rounds.map(({ withKey }) => withKey)),
      median(rounds.map(({ withPassword }) => withPassword)),
      median(rounds.map(({ withKey, withPassword }) => withKey / withPassword)),
    ),
  )
  logins.close()
  plainLogins.close()
  await Promise.all([server.stop(), plain.stop()])
}
