import crypto, { pbkdf2Sync } from 'node:crypto'
import * as argon2 from '@node-rs/argon2'
import { expect, test, vi } from 'vitest'
import { createPasswordEngine } from '../../src/domain/users/password-engine.ts'
import { verifyPassword } from '../../src/domain/users/passwords.ts'
import { getUser } from '../../src/domain/users/users.ts'
import { stores } from '../support/api.ts'
import { openApi } from '../support/context.ts'

vi.mock('node:crypto', { spy: true })
vi.mock('@node-rs/argon2', { spy: true })

/** The work of all verifications so far: rounds of PBKDF2 by their digest, and KiB times passes of Argon2. */
function workDone(): Record<string, number> {
  const work: Record<string, number> = {}
  const add = (kind: string, amount: number): void => {
    work[kind] = (work[kind] ?? 0) + amount
  }
  const sizes: Record<string, number> = { sha1: 20, sha256: 32, sha512: 64 }
  for (const [, , rounds, length, digest] of vi.mocked(crypto.pbkdf2).mock.calls) {
    add(digest, rounds * Math.ceil(length / (sizes[digest] ?? 1)))
  }
  for (const [, given] of vi.mocked(argon2.hashRaw).mock.calls) {
    add('argon2', (given?.memoryCost ?? 0) * (given?.timeCost ?? 0))
  }
  return work
}

const keycloak = (algorithm: string, iterations: number) => {
  const [, digest = ''] = algorithm.split('-')
  const salt = Buffer.from('0123456789abcdef')
  const hash = pbkdf2Sync('right', salt, iterations, 64, digest).toString('base64')
  const parameters = { algorithm, iterations, salt: salt.toString('base64') }
  return { scheme: 'keycloak', hash, parameters }
}
const argon2Of = (costs: string) => ({
  scheme: 'argon2',
  hash: `$argon2id$v=19$${costs}$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`,
})

test.each(stores)(
  'on %s, where hashes are of several systems, a refusal is the same work for every user as for an unknown address',
  async (store) => {
    await using api = await openApi(store, { passwords: createPasswordEngine() })
    const hashes = [
      keycloak('pbkdf2-sha512', 1_000),
      keycloak('pbkdf2-sha512', 2_100),
      keycloak('pbkdf2-sha256', 700),
      argon2Of('m=8,t=1,p=1'),
      argon2Of('m=1024,t=2,p=1'),
      argon2Of('m=1024,t=4,p=1'),
    ]
    const users = hashes.map((legacy_password, n) => ({
      profile: { email: `u${n}@example.com`, email_verified: true },
      legacy_password,
    }))
    const { body } = await api.post(`/x${api.users}/import`, { users })
    expect(body).toMatchObject({ created: 6, refused: 0 })
    const plain = await api.createUser()
    for (const id of [...body.data, plain, undefined].map((one) => one?.id)) {
      const user = id === undefined ? undefined : await getUser(api.scope, id)
      vi.clearAllMocks()
      expect(await verifyPassword(api.scope, user, 'wrong')).toMatchObject({ kind: 'refused' })
      const { argon2: done, ...exact } = workDone()
      expect(exact).toEqual({ sha512: 2_100, sha256: 1_400 })
      // In whole KiB of each pass.
      expect(Math.abs((done ?? 0) - 4_096)).toBeLessThan(4)
      expect(vi.mocked(argon2.hashRaw).mock.calls.length).toBeLessThanOrEqual(2)
    }
  },
)
