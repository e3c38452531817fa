import { describe, expect, test } from 'vitest'
import {
  createPasswordEngine,
  type PasswordEngine,
} from '../../src/domain/users/password-engine.ts'
import { type Verification, verifyPassword } from '../../src/domain/users/passwords.ts'
import { stores } from '../support/api.ts'
import { type OpenApi, openApi } from '../support/context.ts'
import { bcryptOf, digestOf, PASSWORD } from '../support/hashes.ts'

/** The real engine, with a count of its calls and a step before each hash. */
function watched(beforeHash: () => Promise<void> = async () => {}): PasswordEngine & {
  calls: string[]
} {
  const engine = createPasswordEngine()
  const calls: string[] = []
  return {
    calls,
    dummyHash: engine.dummyHash,
    load: engine.load,
    makeUp: engine.makeUp,
    run: engine.run,
    async hash(text, priority, tenantId) {
      calls.push(`hash ${priority}`)
      await beforeHash()
      return engine.hash(text, priority, tenantId)
    },
    verify(...given) {
      calls.push('verify')
      return engine.verify(...given)
    },
  }
}

async function logIn(api: OpenApi, id: string, password = PASSWORD): Promise<Verification> {
  const user = await api.context.store.users.get(api.tenantId, id)
  return verifyPassword(api.scope, user, password)
}

async function userWith(api: OpenApi, alg: string, hash: string): Promise<string> {
  const { id } = await api.createUser()
  await api.create(`${api.users}/${id}/credentials`, { password: { alg, hash } })
  return id
}

test('unknown users, users without a password and disabled users cost one verification, like all others', async () => {
  const passwords = watched()
  await using api = await openApi('memory', { passwords })
  const none = await api.createUser()
  const disabled = await userWith(api, 'bcrypt', bcryptOf[10])
  const { body } = await api.get(`${api.users}/${disabled}`)
  await api.post(`${api.users}/${disabled}`, { ...body, disabled: true })

  for (const [id, password, reason] of [
    ['usr_0', PASSWORD, 'unknown_user'],
    [none.id, PASSWORD, 'no_password'],
    [disabled, PASSWORD, 'user_disabled'],
    [disabled, 'wrong', 'wrong_password'],
    [disabled, 'x'.repeat(100_000), 'wrong_password'],
  ]) {
    passwords.calls.length = 0
    expect(await logIn(api, id, password)).toEqual({ kind: 'refused', reason })
    expect(passwords.calls).toEqual(['verify'])
  }
})

test('an upgrade is hashed as a login, an import as an import', async () => {
  const passwords = watched()
  await using api = await openApi('memory', { passwords })

  const id = await userWith(api, 'md5', digestOf.md5)
  await logIn(api, id)

  expect(passwords.calls).toEqual(['hash import', 'verify', 'hash login'])
})

describe.each(stores)('on %s', (store) => {
  test('an upgrade does not undo a password that was changed meanwhile', async () => {
    let change = async (): Promise<void> => {}
    await using api = await openApi(store, { passwords: watched(() => change()) })
    const id = await userWith(api, 'bcrypt', bcryptOf[8])
    const path = `${api.users}/${id}/credentials/password`
    change = async () => {
      change = async () => {}
      await api.post(path, { password: { alg: 'bcrypt', hash: bcryptOf[12] } })
    }

    expect(await logIn(api, id)).toMatchObject({ kind: 'verified', upgraded: false })

    expect((await api.get(path)).body.password).toMatchObject({ hash: bcryptOf[12], cost: 12 })
  })

  test('an upgrade does not bring a credential back that was deleted meanwhile', async () => {
    let change = async (): Promise<void> => {}
    await using api = await openApi(store, { passwords: watched(() => change()) })
    const id = await userWith(api, 'bcrypt', bcryptOf[8])
    change = async () => {
      await api.delete(`${api.users}/${id}/credentials/password`)
    }

    expect(await logIn(api, id)).toMatchObject({ kind: 'verified', upgraded: false })

    expect((await api.get(`${api.users}/${id}/credentials`)).body.total).toBe(0)
  })
})

test('a legacy password of more than 72 bytes works, and its hash stays wrapped', async () => {
  await using api = await openApi()
  const { createHash } = await import('node:crypto')
  const long = 'x'.repeat(100)
  const id = await userWith(api, 'sha256', createHash('sha256').update(long).digest('hex'))

  expect(await logIn(api, id, long)).toMatchObject({ kind: 'verified', upgraded: false })
  expect(await logIn(api, id, `${long}x`)).toMatchObject({ reason: 'wrong_password' })

  const { body } = await api.get(`${api.users}/${id}/credentials/password`)
  expect(body.password.alg).toBe('sha256|bcrypt')
})

test('a password is compared in NFC', async () => {
  await using api = await openApi()
  const id = await userWith(api, 'plain', 'Zoe\u0308')

  expect(await logIn(api, id, 'Zoë')).toMatchObject({ kind: 'verified' })
  expect(await logIn(api, id, 'Zoe\u0308')).toMatchObject({ kind: 'verified' })
})

test.each(['$2a$', '$2y$'])(
  'a hash that begins with %s belongs to its password',
  async (prefix) => {
    await using api = await openApi()
    const id = await userWith(api, 'bcrypt', bcryptOf[10].replace('$2b$', prefix))

    expect(await logIn(api, id)).toMatchObject({ kind: 'verified' })
    expect(await logIn(api, id, 'wrong')).toMatchObject({ kind: 'refused' })
  },
)
