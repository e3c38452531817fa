import { createHash } from 'node:crypto'
import { createIdentityService } from '@latchkey/service'
import { describe, expect, test } from 'vitest'
import { type WriteAction, writeActions } from '../src/domain/writes/commit.ts'
import { routes } from '../src/http/app.ts'
import { createBrowser } from './issuer/support/browser.ts'
import { codeOf, recoveryCodesOn, seedOn } from './issuer/support/factors.ts'
import { stores } from './support/api.ts'
import { digestOf, PASSWORD } from './support/hashes.ts'
import { pngOf } from './support/images.ts'
import { startWrites, type Writes } from './support/writes.ts'

const url = 'https://acme.example'
const callback = 'https://app.example.com/callback'
const shopInput = { name: 'Shop', redirect_urls: [callback] }
const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const grace = { email: 'grace@example.com', password: PASSWORD }
const md5 = { alg: 'md5', hash: digestOf.md5 }
/** The settings of another tenant. */
const settings = { domain: 'other.example' }
const google = { recipe: 'google', clientId: 'acme', secret: 'a secret' }
const endpoint = { url: 'https://shop.invalid/hooks' }

/** What only reads. */
const readers = [
  'listTenants',
  'findTenant',
  'listApiKeys',
  'listOperators',
  'audit',
  'exportAudit',
  'verifyAudit',
  'listConnections',
  'callbackPathFor',
  'listDeletions',
  'listSigningKeys',
  'listUnconfirmed',
]

/** Acts in the management console, of an endpoint that answers 410 and after a restore, which other tests look at. */
const elsewhere: readonly WriteAction[] = [
  'operator.accept',
  'webhook.disable',
  'service.restore',
  'api_key.confirm',
  'operator.confirm',
]

/** The command that needs a restore. */
const afterRestore = 'confirm'

const writingRoutes = routes.flatMap(({ kind, path }) => {
  if (kind === 'get' || kind === 'list' || kind === 'query') return []
  return [{ method: kind === 'delete' ? 'DELETE' : 'POST', path }]
})

/** The writes that one test covers completely. */
interface Covered {
  readonly actions: readonly WriteAction[]
  readonly commands?: readonly string[]
  /** Matches the paths of its routes. */
  readonly routes?: RegExp
}

/** Has the key of a tenant made, which it has from its first request on. */
const makeKey = ({ service }: Writes, domain: string) =>
  service.fetch(`https://${domain}/oidc/jwks`)

/** Creates a user with a password of an earlier system. */
async function addUser({ post, users }: Writes, email: string): Promise<void> {
  const { body } = await post(users, { profile: { email } })
  await post(`${users}/${body.id}/credentials`, { password: md5 })
}

/** An application at which users log in, and browsers at the pages of the tenant. */
async function openPages(writes: Writes) {
  const { body } = await writes.get(writes.tenant)
  const allowed = { allow_unverified: true, allow_totp_app: true }
  await writes.post(writes.tenant, { ...body, settings: { ...body.settings, ...allowed } })
  await makeKey(writes, 'acme.example')
  const shop = (await writes.post(writes.applications, shopInput)).body
  const begin = new URL(`${url}/oidc/auth`)
  begin.search = new URLSearchParams({
    client_id: shop.id,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid',
    code_challenge: createHash('sha256').update('verifier').digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  return {
    begin: begin.href,
    open: () => createBrowser({ url, fetch: writes.service.fetch as never }),
  }
}

describe.each(stores)('on %s', (store) => {
  const covered: Covered[] = []

  function testWrites(name: string, group: Covered, use: (writes: Writes) => Promise<void>): void {
    covered.push(group)
    test(`each acknowledged write of ${name} emits one change event and has one audit entry`, async () => {
      await using writes = await startWrites(store)
      await use(writes)
      expect([...writes.seen].sort()).toEqual([...group.actions].sort())
      expect([...writes.commands]).toEqual(expect.arrayContaining([...(group.commands ?? [])]))
      for (const { method, path } of writingRoutes) {
        if (!group.routes?.test(path)) continue
        const pattern = new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`)
        expect(writes.requests).toContainEqual(expect.stringMatching(pattern))
      }
    })
  }

  testWrites(
    'tenants',
    {
      actions: ['tenant.create', 'tenant.update', 'tenant.delete', 'tenant.free_domain'],
      commands: ['createTenant', 'deleteTenant', 'eraseDeleted', 'freeDomain'],
      routes: /\/tenants\/:\w+(\/texts|\/logo)?$/,
    },
    async ({ admin, emits, get, post, tenant }) => {
      const other = await emits(['tenant.create'], () => admin.createTenant(settings))
      await emits(['tenant.delete'], () => admin.deleteTenant(other.id))
      // Its rows go without a word to the outside: nothing can see them any more.
      await emits([], () => admin.eraseDeleted())
      await emits(['tenant.free_domain'], () => admin.freeDomain(settings.domain))
      await emits(['tenant.update'], async () => {
        const { body } = await get(tenant)
        await post(tenant, {
          ...body,
          settings: { ...body.settings, allow_unverified: true, allow_totp_app: true },
        })
      })
      await emits(['tenant.update'], () => post(`/x${tenant}/texts`, { en: { login_title: 'Hi' } }))
      await emits(['tenant.update'], () =>
        post(`/x${tenant}/logo`, { image: pngOf(2, 1).toString('base64') }),
      )
    },
  )

  testWrites(
    'programs',
    { actions: ['tenant.update'], routes: /\/programs\b/ },
    async ({ emits, post, tenant }) => {
      const program = `/x${tenant}/programs/agent.example`
      await emits(['tenant.update'], () => post(`${program}/block`, {}))
      await emits([], () => post(`${program}/block`, {}))
      await emits(['tenant.update'], () => post(`${program}/unblock`, {}))
    },
  )

  testWrites(
    'API keys',
    {
      actions: ['api_key.create', 'api_key.revoke'],
      commands: ['createApiKey', 'revokeApiKey'],
    },
    async ({ admin, emits, tenantId }) => {
      const { key } = await emits(['api_key.create'], () =>
        admin.createApiKey({ name: 'other', reach: [tenantId] }),
      )
      await emits(['api_key.revoke'], () => admin.revokeApiKey(key.id))
      await emits([], () => admin.revokeApiKey(key.id))
    },
  )

  testWrites(
    'a seed',
    {
      actions: ['tenant.create', 'application.create', 'user.create', 'credential.create'],
      commands: ['seed'],
    },
    async (writes) => {
      const { admin, emits } = writes
      await emits(['tenant.create', 'application.create'], () =>
        admin.seed({ tenants: [{ settings, applications: [{ name: 'Shop' }] }] }),
      )
      await makeKey(writes, settings.domain)
      const sha1 = { alg: 'sha1', hash: digestOf.sha1 }
      await emits(['user.create', 'credential.create'], () =>
        admin.seed({
          tenants: [{ settings, users: [{ profile: { email: ada.email }, password: sha1 }] }],
        }),
      )
    },
  )

  testWrites(
    'the export of the audit log',
    { actions: [], commands: ['noteAuditExport'] },
    async ({ admin, emits }) => {
      await emits([], () => admin.noteAuditExport({ after: 0 }))
    },
  )

  testWrites(
    'signing keys',
    { actions: ['signing_key.create', 'signing_key.delete'], commands: ['rotateSigningKey'] },
    async (writes) => {
      const { admin, emits, tenantId } = writes
      await admin.createTenant(settings)
      // A tenant has its key from its first request on, or from the first user whose sessions may end.
      for (const { domain } of [settings, { domain: 'acme.example' }]) {
        await emits(['signing_key.create'], () => makeKey(writes, domain))
      }
      await emits(['signing_key.create', 'signing_key.delete'], () =>
        admin.rotateSigningKey(tenantId, { withdrawEarlier: true }),
      )
    },
  )

  testWrites(
    'applications',
    {
      actions: [
        'application.create',
        'application.update',
        'application.rotate_secret',
        'application.delete',
      ],
      commands: ['rotateApplicationSecret'],
      routes: /\/applications\b/,
    },
    async ({ admin, applications, emits, post, remove, tenantId }) => {
      const { body } = await emits(['application.create'], () => post(applications, shopInput))
      const path = `${applications}/${body.id}`
      await emits(['application.update'], () => post(path, shopInput))
      await emits(['application.rotate_secret'], () =>
        admin.rotateApplicationSecret(tenantId, body.id),
      )
      await emits(['application.delete'], () => remove(path))
    },
  )

  testWrites(
    'connections',
    {
      actions: ['connection.create', 'connection.update', 'connection.delete'],
      commands: ['createConnection', 'updateConnection', 'deleteConnection'],
    },
    async ({ admin, emits, tenantId }) => {
      const { id } = await emits(['connection.create'], () =>
        admin.createConnection(tenantId, google),
      )
      await emits(['connection.update'], () =>
        admin.updateConnection(tenantId, id, { enabled: false }),
      )
      await emits(['connection.delete'], () => admin.deleteConnection(tenantId, id))
    },
  )

  testWrites(
    'webhooks',
    {
      actions: ['webhook.create', 'webhook.update', 'webhook.rotate_secret', 'webhook.delete'],
      routes: /\/webhooks\b/,
    },
    async ({ emits, post, remove, tenant }) => {
      const webhooks = `/x${tenant}/webhooks`
      const { body } = await emits(['webhook.create'], () => post(webhooks, endpoint))
      const path = `${webhooks}/${body.id}`
      await emits(['webhook.update'], () => post(path, { ...endpoint, disabled: true }))
      await emits(['webhook.rotate_secret'], () => post(`${path}/rotate`, {}))
      await emits([], () => post(`${path}/test`, {}))
      await emits([], () => post(`${path}/replay`, { from: '2026-01-01T00:00:00Z' }))
      await emits([], () => post(`${path}/deliveries/1/resend`, {}))
      await emits(['webhook.delete'], () => remove(path))
    },
  )

  testWrites(
    'a new master key',
    {
      actions: [
        'signing_key.reseal',
        'connection.reseal',
        'application.reseal',
        'webhook.reseal',
        'credential.reseal',
      ],
    },
    async (writes) => {
      const { admin, emits, post, putMasterKeyInFront, remove, tenant, tenantId } = writes
      await admin.seed({ tenants: [{ settings, applications: [{ name: 'Shop' }] }] })
      await makeKey(writes, settings.domain)
      const { begin, open } = await openPages(writes)
      const connection = await admin.createConnection(tenantId, google)
      const webhook = (await post(`/x${tenant}/webhooks`, endpoint)).body
      const ofTenant = ['signing_key.reseal', 'application.reseal'] as const
      const ofThis = ['signing_key.reseal', 'connection.reseal', 'application.reseal'] as const
      await emits([...ofThis, ...ofTenant, 'webhook.reseal'], () => putMasterKeyInFront(6))

      await remove(`/x${tenant}/webhooks/${webhook.id}`)
      await admin.deleteConnection(tenantId, connection.id)
      await addUser(writes, grace.email)
      const visitor = open()
      await visitor.submit(await visitor.get(begin), grace)
      const enrol = await visitor.get('/account/security/add?kind=totp_app')
      await visitor.submit(enrol, { code: codeOf(seedOn(enrol)) })
      const ofUser = ['credential.reseal', 'credential.reseal'] as const
      // Those of all tenants, then credentials, which are read in one list.
      await emits([...ofTenant, ...ofTenant, ...ofUser], () => putMasterKeyInFront(6))
    },
  )

  testWrites(
    'users',
    {
      actions: ['user.create', 'user.update', 'user.delete'],
      routes: /\/users(\/:\w+(\/let-try-again|\/sessions.*|\/grants.*)?)?$/,
    },
    async (writes) => {
      const { emits, post, remove, users } = writes
      await makeKey(writes, 'acme.example')
      const profile = { email: 'bob@example.com' }
      const { body } = await emits(['user.create'], () => post(users, { profile }))
      await emits([], () => post(users, { profile }))
      const path = `${users}/${body.id}`
      await emits(['user.update'], () => post(path, { profile, disabled: true }))
      await emits(['user.update'], () => post(path, { profile }))
      await emits([], () => post(`/x${path}/let-try-again`, {}))
      await emits(['user.update'], () => remove(`/x${path}/sessions`))
      await emits([], () => remove(`/x${path}/sessions/none`))
      await emits([], () => remove(`/x${path}/grants/none`))
      await emits(['user.delete'], () => remove(path))
    },
  )

  testWrites(
    'credentials',
    {
      actions: ['credential.create', 'credential.update', 'credential.delete'],
      commands: ['giveAuthenticatorApp'],
      routes: /\/credentials\b/,
    },
    async (writes) => {
      const { admin, emits, post, remove, tenantId, users } = writes
      await makeKey(writes, 'acme.example')
      const { body } = await post(users, { profile: { email: 'bob@example.com' } })
      const credentials = `${users}/${body.id}/credentials`
      await emits(['credential.create'], () => post(credentials, { password: md5 }))
      await emits([], () => post(credentials, { password: md5 }))
      await emits(['credential.update'], () => post(`${credentials}/password`, { password: md5 }))
      await emits(['credential.delete'], () => remove(`${credentials}/password`))
      await emits([], () => remove(`${credentials}/password`))
      await emits(['credential.create'], () => admin.giveAuthenticatorApp(tenantId, body.id))
      await emits(['credential.delete', 'credential.create'], () =>
        admin.giveAuthenticatorApp(tenantId, body.id),
      )
    },
  )

  testWrites(
    'mails',
    { actions: [], routes: /\/mails\b/ },
    async ({ emits, post, tenant, users }) => {
      const { body } = await post(users, { profile: { email: 'bob@example.com' } })
      const mails = `/x${users}/${body.id}/mails`
      const mail = (await emits([], () => post(mails, { kind: 'invite' }))).body
      await emits([], () => post(`/x${tenant}/mails/${mail.id}/resend`, {}))
    },
  )

  testWrites(
    'an import',
    { actions: ['user.create', 'user.update'], routes: /\/users\/import\b/ },
    async ({ emits, post, users }) => {
      const imported = ['grace', 'alan'].map((name) => ({
        profile: { email: `${name}@example.com` },
        password: md5,
      }))
      await emits(['user.create', 'user.create'], () =>
        post(`/x${users}/import`, { users: imported }),
      )
      await emits([], () => post(`/x${users}/import`, { users: imported }))
      const newer = imported.map((one) => ({
        ...one,
        match_address: true,
        metadata: { plan: 'team' },
      }))
      await emits([], () => post(`/x${users}/import/preview`, { users: newer }))
      await emits(['user.update', 'user.update'], () =>
        post(`/x${users}/import/update`, { users: newer }),
      )
    },
  )

  testWrites('a sign-up', { actions: ['user.create', 'user.verify'] }, async (writes) => {
    const { emits, newestLink } = writes
    const { begin, open } = await openPages(writes)
    const browser = open()
    const login = await browser.get(begin)
    const path = /href="([^"]*\/signup[^"]*)"/.exec(login.html)?.[1]?.replaceAll('&amp;', '&')
    const signup = await browser.get(path ?? '')
    await emits(['user.create'], () => browser.submit(signup, ada))
    const verify = await browser.get(await newestLink())
    await emits(['user.verify'], () => browser.submit(verify))
  })

  testWrites(
    'a login',
    { actions: ['credential.upgrade', 'credential.create', 'credential.use'] },
    async (writes) => {
      const { emits } = writes
      const { begin, open } = await openPages(writes)
      await addUser(writes, grace.email)
      const visitor = open()
      const form = await visitor.get(begin)
      const wrong = { ...grace, password: 'wrong' }
      await emits([], () => visitor.submit(form, wrong))
      const landed = await emits(['credential.upgrade'], () => visitor.submit(form, grace))
      expect(landed.location).toContain(`${callback}?code=`)

      const enrol = await visitor.get('/account/security/add?kind=totp_app')
      const shown = await emits(['credential.create'], () =>
        visitor.submit(enrol, { code: codeOf(seedOn(enrol)) }),
      )
      const [code = ''] = recoveryCodesOn(shown)
      const again = open()
      const second = await again.submit(await again.get(begin), grace)
      const recovery = await again.get(`${second.url}&kind=recovery_codes`)
      await emits(['credential.use'], () => again.submit(recovery, { code }))
    },
  )

  testWrites('a forgotten password', { actions: ['credential.reset'] }, async (writes) => {
    const { emits, newestLink } = writes
    const { open } = await openPages(writes)
    await addUser(writes, 'alan@example.com')
    const forgetful = open()
    const ask = await forgetful.get('/reset')
    await emits([], () => forgetful.submit(ask, { email: 'alan@example.com' }))
    const reset = await forgetful.get(await newestLink())
    await emits(['credential.reset'], () => forgetful.submit(reset, { password: ada.password }))
  })

  testWrites(
    'operators',
    {
      actions: [
        'tenant.create',
        'user.create',
        'operator.invite',
        'operator.recover',
        'operator.update',
        'operator.remove',
      ],
      commands: ['inviteOperator', 'recoverOperator', 'updateOperator', 'removeOperator'],
    },
    async ({ admin, emits }) => {
      const owner = { email: 'owner@example.com', role: 'owner' } as const
      await emits(['tenant.create', 'user.create', 'operator.invite'], () =>
        admin.inviteOperator(owner),
      )
      const viewer = { email: 'viewer@example.com', role: 'viewer' } as const
      const { operator } = await emits(['user.create', 'operator.invite'], () =>
        admin.inviteOperator(viewer),
      )
      await emits(['operator.recover', 'operator.invite'], () =>
        admin.recoverOperator(viewer.email),
      )
      await emits(['operator.update'], () => admin.updateOperator(operator.id, { role: 'admin' }))
      await emits(['operator.remove'], () => admin.removeOperator(operator.id))
    },
  )

  test('every write, every command and every route that writes has a test here', async () => {
    const actions = covered.flatMap((group) => group.actions)
    expect([...new Set([...actions, ...elsewhere])].sort()).toEqual([...writeActions].sort())
    await using service = await createIdentityService()
    const commands = covered.flatMap((group) => group.commands ?? [])
    expect([...new Set([...commands, ...readers, afterRestore])].sort()).toEqual(
      Object.keys(service.admin).sort(),
    )
    const missed = writingRoutes.filter(
      ({ path }) => !covered.some((one) => one.routes?.test(path)),
    )
    expect(missed).toEqual([])
  })
})
