import { createIdentityService } from '@latchkey/service'
import { describe, expect, onTestFinished, test } from 'vitest'
import { giveAuthenticatorApp } from '../../src/domain/factors/authenticator-app.ts'
import { resealSecrets } from '../../src/domain/keys/reseal.ts'
import {
  acceptInvitation,
  findInvited,
  INVITATION_SECONDS,
  inviteAgain,
  operatorLogins,
  operatorOfLogin,
  operatorsOf,
  setOperatorDisabled,
  updateOperator,
} from '../../src/domain/operators/operators.ts'
import { noteRestore } from '../../src/domain/operators/restores.ts'
import { resetPassword } from '../../src/domain/users/accounts.ts'
import { hashPassword } from '../../src/domain/users/passwords.ts'
import { originOf } from '../../src/domain/ways/valid-links.ts'
import type { DomainContext } from '../../src/domain/writes/context.ts'
import { createAdmin } from '../../src/operate/admin.ts'
import { StoreError } from '../../src/store/errors.ts'
import { SYSTEM_TENANT_ID } from '../../src/store/system-tenant.ts'
import { openApi } from '../support/context.ts'
import { createDatabase, openPostgresDataStore } from '../support/postgres.ts'

const kinds = ['SQLite', 'PostgreSQL'] as const

async function withOwner(store: 'memory' | (typeof kinds)[number] = 'memory') {
  const api = await openApi(store === 'SQLite' ? store : 'memory')
  let { context } = api
  if (store === 'PostgreSQL') {
    const database = await createDatabase()
    context = { ...context, store: openPostgresDataStore(database.url) }
    onTestFinished(async () => {
      await context.store.close()
      await database.drop()
    })
  }
  const admin = createAdmin(context)
  const scope = { context, actor: { name: 'visitor' } }
  const invited = await admin.inviteOperator({ email: 'ada@example.com', role: 'owner' })
  return { api, context, admin, scope, ...invited }
}

test('an invitation sets a password once, and marks the operator as no longer invited', async () => {
  const { api, admin, scope, token } = await withOwner()
  await using _ = api
  const accepted = await acceptInvitation(scope, token, 'correct horse battery')
  expect(accepted.kind).toBe('accepted')
  expect((await admin.listOperators())[0]?.operator.invitation).toBeUndefined()
  const again = acceptInvitation(scope, token, 'another horse battery')
  await expect(again).rejects.toMatchObject({ code: 'not_found' })
})

test('an operator who waits to be confirmed after a restore is told nothing of a tenant', async () => {
  const { api, context, admin, scope, token, operator } = await withOwner()
  await using _ = api
  await acceptInvitation(scope, token, 'correct horse battery')
  const told = async () => (await operatorsOf({ ...scope, tenantId: api.tenantId })).length
  expect(await told()).toBe(1)
  await noteRestore(context.store, { at: Date.now() * 1_000, keepsAccess: false })
  expect(await told()).toBe(0)
  await admin.confirm(operator.id)
  expect(await told()).toBe(1)
})

/** Accepts an invitation while the store fails once at a write, and returns the error. */
async function acceptFailing(
  context: DomainContext,
  token: string,
  at: 'the password' | 'the invitation',
): Promise<unknown> {
  const { store } = context
  const fail = async () => {
    throw new StoreError('The store has failed.')
  }
  const failing =
    at === 'the password'
      ? { ...store, users: { ...store.users, updateAccount: fail } }
      : { ...store, operators: { ...store.operators, update: fail } }
  const scope = { context: { ...context, store: failing }, actor: { name: 'visitor' } }
  return acceptInvitation(scope, token, 'correct horse battery').catch((error) => error)
}

async function withSecondOwner() {
  const at = await withOwner()
  await acceptInvitation(at.scope, at.token, 'correct horse battery')
  const bob = await at.admin.inviteOperator({ email: 'bob@example.com', role: 'owner' })
  const disableAda = () => setOperatorDisabled(at.scope, at.operator.id, true)
  return { ...at, bob, disableAda }
}

test('an invitation whose password could not be stored stays valid, and its owner does not count', async () => {
  const { api, context, scope, bob, disableAda } = await withSecondOwner()
  await using _ = api
  const error = await acceptFailing(context, bob.token, 'the password')
  expect(error).toBeInstanceOf(StoreError)
  await expect(disableAda()).rejects.toMatchObject({ code: 'conflict' })
  const accepted = await acceptInvitation(scope, bob.token, 'correct horse battery')
  expect(accepted.kind).toBe('accepted')
  await disableAda()
})

test('an operator whose password was stored can log in, even if the store failed right after it', async () => {
  const { api, context, scope, bob, disableAda } = await withSecondOwner()
  await using _ = api
  const error = await acceptFailing(context, bob.token, 'the invitation')
  expect(error).toBeInstanceOf(StoreError)
  expect((await operatorLogins(scope)).get(bob.operator.id)?.kinds).toEqual(['password'])
  expect(await findInvited(context, bob.token)).toBeUndefined()
  await expect(acceptInvitation(scope, bob.token, 'another horse')).rejects.toMatchObject({
    code: 'not_found',
  })
  await disableAda()
})

test.each(kinds)(
  'an operator whose role has changed is told of it, even if the store fails right after it, on %s',
  async (kind) => {
    const { api, context, operator } = await withOwner(kind)
    await using _ = api
    const { store } = context
    const insert = async () => {
      throw new StoreError('The store has failed.')
    }
    const failing = { ...context, store: { ...store, jobs: { ...store.jobs, insert } } }
    const scope = { context: failing, actor: { name: 'admin' } }
    const owner = { role: 'owner', reach: 'all' } as const
    await createAdmin(context).inviteOperator({ email: 'bob@example.com', ...owner })
    await updateOperator(scope, operator.id, { role: 'viewer' })
    expect((await store.operators.get(operator.id))?.operator.role).toBe('viewer')
    const work = { operatorId: operator.id, before: owner }
    expect(await store.jobs.claim(30)).toMatchObject({ kind: 'tell-role', work })

    await updateOperator(scope, operator.id, { role: 'viewer' })
    expect(await store.jobs.claim(30)).toBeUndefined()
  },
)

test('a refused password does not use up the invitation', async () => {
  const { api, scope, token } = await withOwner()
  await using _ = api
  expect(await acceptInvitation(scope, token, 'password1')).toEqual({
    kind: 'refused',
    problem: 'common',
  })
  expect((await acceptInvitation(scope, token, 'correct horse battery')).kind).toBe('accepted')
})

test('an invitation is valid for 24 hours, is replaced by the next one, and no other token is accepted', async () => {
  const { api, context, admin, scope, token } = await withOwner()
  await using _ = api
  const refused = { code: 'not_found' }
  await expect(acceptInvitation(scope, 'x', 'correct horse battery')).rejects.toMatchObject(refused)
  const late = {
    ...scope,
    context: { ...context, clock: { now: () => Date.now() + INVITATION_SECONDS * 1_000 } },
  }
  await expect(acceptInvitation(late, token, 'correct horse battery')).rejects.toMatchObject(
    refused,
  )
  const { token: next } = await admin.inviteOperator({ email: 'ADA@example.com', role: 'owner' })
  await expect(acceptInvitation(scope, token, 'correct horse battery')).rejects.toMatchObject(
    refused,
  )
  expect((await acceptInvitation(scope, next, 'correct horse battery')).kind).toBe('accepted')
  expect(await admin.listOperators()).toHaveLength(1)
})

test('inviting again sends the link once more, and changes neither the role nor the password', async () => {
  const { api, admin, scope, token } = await withOwner()
  await using _ = api
  const bob = { email: 'bob@example.com', role: 'viewer' } as const
  await admin.inviteOperator(bob)
  const conflict = { code: 'conflict' }
  await expect(admin.inviteOperator({ ...bob, role: 'admin' })).rejects.toMatchObject(conflict)
  await expect(admin.inviteOperator({ ...bob, reach: ['ten_1'] })).rejects.toMatchObject(conflict)
  expect((await admin.inviteOperator(bob)).operator.role).toBe('viewer')
  await acceptInvitation(scope, token, 'correct horse battery')
  const again = admin.inviteOperator({ email: 'ada@example.com', role: 'owner' })
  await expect(again).rejects.toMatchObject(conflict)
  expect((await admin.listOperators())[0]?.operator.invitation).toBeUndefined()
})

test('an operator who has lost every way to log in gets a new link from the command', async () => {
  const { api, context, admin, scope, token, operator } = await withOwner()
  await using _ = api
  await acceptInvitation(scope, token, 'correct horse battery')
  await admin.giveAuthenticatorApp(SYSTEM_TENANT_ID, operator.id)
  const before = Date.now() / 1_000 - 1
  const recovered = await admin.recoverOperator('ADA@example.com')
  expect(await operatorOfLogin(context, operator.id, before)).toBeUndefined()
  const page = { after: undefined, limit: 10 }
  const ways = await context.store.credentials.list(SYSTEM_TENANT_ID, operator.id, page)
  expect(ways?.items).toEqual([])
  expect(recovered.operator.role).toBe('owner')
  const accepted = await acceptInvitation(scope, recovered.token, 'another horse battery')
  expect(accepted.kind).toBe('accepted')
  await expect(admin.recoverOperator('eve@example.com')).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('there is always an owner who can log in', async () => {
  const { api, admin, scope, operator, token } = await withOwner()
  await using _ = api
  const refused = { code: 'conflict' }
  const { id } = operator
  await expect(admin.removeOperator(id)).rejects.toMatchObject(refused)
  await acceptInvitation(scope, token, 'the password of Ada')
  await expect(admin.removeOperator(id)).rejects.toMatchObject(refused)
  await expect(admin.updateOperator(id, { role: 'admin' })).rejects.toMatchObject(refused)
  await expect(setOperatorDisabled(scope, id, true)).rejects.toMatchObject(refused)
  const again = admin.inviteOperator({ email: 'ada@example.com', role: 'viewer' })
  await expect(again).rejects.toMatchObject(refused)

  const other = await admin.inviteOperator({ email: 'bob@example.com', role: 'owner' })
  // An owner who is invited has no password yet.
  await expect(admin.updateOperator(id, { role: 'viewer' })).rejects.toMatchObject(refused)
  await expect(admin.removeOperator(id)).rejects.toMatchObject(refused)
  await acceptInvitation(scope, other.token, 'the password of Bob')
  await admin.updateOperator(id, { role: 'viewer' })
  await expect(admin.removeOperator(other.operator.id)).rejects.toMatchObject(refused)
  await admin.removeOperator(id)
  expect(await admin.listOperators()).toHaveLength(1)
})

test('a removed or disabled operator of any role cannot log in', async () => {
  const { api, context, admin, scope } = await withOwner()
  await using _ = api
  const { operator } = await admin.inviteOperator({ email: 'bob@example.com', role: 'owner' })
  const now = () => Date.now() / 1_000
  const isIn = async () => (await operatorOfLogin(context, operator.id, now())) !== undefined
  expect(await isIn()).toBe(true)
  const before = now() - 1
  await setOperatorDisabled(scope, operator.id, true)
  expect(await isIn()).toBe(false)
  await setOperatorDisabled(scope, operator.id, false)
  expect(await operatorOfLogin(context, operator.id, before)).toBeUndefined()
  await admin.removeOperator(operator.id)
  expect(await isIn()).toBe(false)
})

test('changes of operators are in the audit log, without tokens', async () => {
  const { api, admin, scope, token, operator } = await withOwner()
  await using _ = api
  await acceptInvitation(scope, token, 'correct horse battery')
  const entries = await admin.audit({ tenantId: SYSTEM_TENANT_ID })
  expect(entries.map(({ action }) => action).reverse()).toEqual([
    'tenant.create',
    'user.create',
    'operator.invite',
    'credential.reset',
    'operator.accept',
  ])
  expect(entries.some(({ target }) => target === operator.id)).toBe(true)
  expect(JSON.stringify(entries)).not.toContain(token)
})

test('secrets of the system tenant are sealed anew with those of all tenants', async () => {
  const { api, context, scope, operator } = await withOwner()
  await using _ = api
  await giveAuthenticatorApp({ ...scope, tenantId: SYSTEM_TENANT_ID }, operator.id)
  await resealSecrets({
    ...context,
    vault: {
      ...context.vault,
      newestId: () => 'newer',
      reseal: (_purpose, sealed) => `${sealed}+`,
    },
  })
  const seed = await context.store.credentials.get(SYSTEM_TENANT_ID, operator.id, 'totp_app')
  expect(seed).toMatchObject({ sealedSeed: expect.stringMatching(/\+$/) })
})

test('a service without a console does not serve the host of one', async () => {
  await using service = await createIdentityService()
  await service.admin.inviteOperator({ email: 'ada@example.com', role: 'owner' })
  for (const host of ['system', 'console.example']) {
    const answer = await service.fetch(`https://${host}/.well-known/openid-configuration`)
    expect(answer.status).toBe(404)
  }
})

describe.each(kinds)('on %s', (store) => {
  const conflict = { code: 'conflict' }
  const gone = { code: 'not_found' }

  /** Sets the password of an operator by a link that was mailed when `origin` was read. */
  async function setByMail(
    { context, scope, operator }: Awaited<ReturnType<typeof withOwner>>,
    origin?: Awaited<ReturnType<typeof originOf>>,
  ): Promise<boolean> {
    const own = { ...scope, tenantId: SYSTEM_TENANT_ID }
    const user = await context.store.users.get(SYSTEM_TENANT_ID, operator.id)
    if (!user) throw new Error('The operator is gone.')
    const password = await hashPassword(own, 'a password by mail', 'login')
    return resetPassword(own, user, password, origin ?? (await originOf(context, user)))
  }

  test('the link of a recovered operator is made again by the command alone, never by another owner', async () => {
    const at = await withOwner(store)
    const { api, admin, scope, token, operator } = at
    await using _ = api
    await acceptInvitation(scope, token, 'correct horse battery')
    const first = await admin.recoverOperator('ada@example.com')
    await expect(inviteAgain(scope, operator.id)).rejects.toMatchObject(conflict)
    const ada = { email: 'ada@example.com', role: 'owner' } as const
    await expect(admin.inviteOperator(ada)).rejects.toThrow('latchkey-service operator recover')
    const second = await admin.recoverOperator('ada@example.com')
    await expect(acceptInvitation(scope, first.token, 'another horse')).rejects.toMatchObject(gone)
    const accepted = await acceptInvitation(scope, second.token, 'another horse battery')
    expect(accepted.kind).toBe('accepted')
    expect((await admin.listOperators())[0]?.operator.invitation).toBeUndefined()
  })

  test('the link of an operator who never accepted stays an invitation after a recovery', async () => {
    const { api, admin, scope, operator } = await withOwner(store)
    await using _ = api
    await admin.recoverOperator('ada@example.com')
    const { token } = await inviteAgain(scope, operator.id)
    expect((await acceptInvitation(scope, token, 'correct horse battery')).kind).toBe('accepted')
  })

  test('the last proof counts: a password by a mailed link ends the invitation, and no owner makes another', async () => {
    const at = await withOwner(store)
    const { api, context, admin, scope, token, operator } = at
    await using _ = api
    expect(await setByMail(at)).toBe(true)
    expect(await findInvited(context, token)).toBeUndefined()
    await expect(acceptInvitation(scope, token, 'another horse')).rejects.toMatchObject(gone)
    await expect(inviteAgain(scope, operator.id)).rejects.toMatchObject(conflict)
    expect((await admin.listOperators())[0]?.operator.invitation).toBeUndefined()
  })

  test('a link that was mailed before a recovery opens nothing after it', async () => {
    const at = await withOwner(store)
    const { api, context, admin, scope, token, operator } = at
    await using _ = api
    await acceptInvitation(scope, token, 'correct horse battery')
    const user = await context.store.users.get(SYSTEM_TENANT_ID, operator.id)
    const before = user && (await originOf(context, user))
    await admin.recoverOperator('ada@example.com')
    expect(await setByMail(at, before)).toBe(false)
    expect(await setByMail(at)).toBe(true)
  })
})
