import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { writeActions } from '../src/domain/writes/commit.ts'
import { routes } from '../src/http/app.ts'
import { createBrowser } from './issuer/support/browser.ts'
import { codeOf } from './issuer/support/factors.ts'
import { startApi, stores } from './support/api.ts'
import { digestOf, PASSWORD } from './support/hashes.ts'
import { pngOf } from './support/images.ts'

const callback = 'https://app.example.com/callback'
const ada = { email: 'ada@example.com', password: 'correct horse battery' }

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
  'listDeletions',
  'listSigningKeys',
  'listUnconfirmed',
]

/** Acts in the management console, of an endpoint that answers 410 and after a restore, which other tests look at. */
const elsewhere = [
  'operator.accept',
  'webhook.disable',
  'service.restore',
  'api_key.confirm',
  'operator.confirm',
]

/** The command that needs a restore. */
const afterRestore = 'confirm'

const newKey = () => `${randomBytes(32).toString('base64')}\n`

describe.each(stores)('on %s', (store) => {
  test('each acknowledged write emits one change event and has one audit entry', async () => {
    const masterKeyFile = join(mkdtempSync(join(tmpdir(), 'latchkey-events-')), 'master.key')
    onTestFinished(() => rmSync(dirname(masterKeyFile), { recursive: true }))
    writeFileSync(masterKeyFile, newKey())
    await using api = await startApi(store, { masterKeyFile })
    const { service, tenant, tenantId, users, applications } = api
    const emitted: string[] = []
    service.events.on('change', ({ action }) => void emitted.push(action))
    const commands = new Set<string>()
    const admin = new Proxy(service.admin, {
      get(target, name) {
        commands.add(String(name))
        return Reflect.get(target, name)
      },
    })
    const requests: string[] = []
    const post = (path: string, body: object) => {
      requests.push(`POST ${path}`)
      return api.post(path, body)
    }
    const remove = (path: string) => {
      requests.push(`DELETE ${path}`)
      return api.delete(path)
    }

    const audited = async () => {
      const actions = (await admin.audit({ limit: 1_000 })).map(({ action }) => action)
      return actions.filter((action) => writeActions.some((write) => write === action)).reverse()
    }
    const seen = new Set<string>()
    async function emits<T>(expected: string[], operation: () => Promise<T>): Promise<T> {
      emitted.length = 0
      const before = (await audited()).length
      const result = await operation()
      expect(emitted).toEqual(expected)
      expect((await audited()).slice(before)).toEqual(expected)
      for (const action of expected) seen.add(action)
      return result
    }

    // Admin commands
    const settings = { domain: 'other.example' }
    const other = await emits(['tenant.create'], () => admin.createTenant(settings))
    const key = await emits(['api_key.create'], () =>
      admin.createApiKey({ name: 'other', reach: [other.id] }),
    )
    await emits(['api_key.revoke'], () => admin.revokeApiKey(key.key.id))
    await emits([], () => admin.revokeApiKey(key.key.id))
    await emits(['tenant.delete'], () => admin.deleteTenant(other.id))
    // Its rows go without a word to the outside: nothing can see them any more.
    await emits([], () => admin.eraseDeleted())
    await emits([], () => admin.noteAuditExport({ after: 0 }))
    await emits(['tenant.free_domain'], () => admin.freeDomain(settings.domain))
    await emits(['tenant.create', 'application.create'], () =>
      admin.seed({ tenants: [{ settings, applications: [{ name: 'Shop' }] }] }),
    )
    // A tenant has its key from its first request on, or from the first user whose sessions may end.
    for (const { domain } of [settings, { domain: 'acme.example' }]) {
      await emits(['signing_key.create'], () => service.fetch(`https://${domain}/oidc/jwks`))
    }
    const sha1 = { alg: 'sha1', hash: digestOf.sha1 }
    await emits(['user.create', 'credential.create'], () =>
      admin.seed({
        tenants: [{ settings, users: [{ profile: { email: ada.email }, password: sha1 }] }],
      }),
    )

    // The management API
    await emits(['tenant.update'], async () => {
      const { body } = await api.get(tenant)
      await post(tenant, {
        ...body,
        settings: { ...body.settings, allow_unverified: true, allow_totp_app: true },
      })
    })
    await emits(['tenant.update'], () => post(`/x${tenant}/texts`, { en: { login_title: 'Hi' } }))
    await emits(['tenant.update'], () =>
      post(`/x${tenant}/logo`, { image: pngOf(2, 1).toString('base64') }),
    )
    const input = { name: 'Shop', redirect_urls: [callback] }
    const shop = (await emits(['application.create'], () => post(applications, input))).body
    await emits(['application.update'], () => post(`${applications}/${shop.id}`, input))
    await emits(['application.rotate_secret'], () =>
      admin.rotateApplicationSecret(tenantId, shop.id),
    )
    const provider = { recipe: 'google', clientId: 'acme', secret: 'a secret' }
    const { id: connection } = await emits(['connection.create'], () =>
      admin.createConnection(tenantId, provider),
    )
    await emits(['connection.update'], () =>
      admin.updateConnection(tenantId, connection, { enabled: false }),
    )
    const webhooks = `/x${tenant}/webhooks`
    const endpoint = { url: 'https://shop.invalid/hooks' }
    const hook = (await emits(['webhook.create'], () => post(webhooks, endpoint))).body
    const off = { ...endpoint, disabled: true }
    await emits(['webhook.update'], () => post(`${webhooks}/${hook.id}`, off))
    await emits(['webhook.rotate_secret'], () => post(`${webhooks}/${hook.id}/rotate`, {}))
    await emits([], () => post(`${webhooks}/${hook.id}/test`, {}))
    await emits([], () => post(`${webhooks}/${hook.id}/replay`, { from: '2026-01-01T00:00:00Z' }))
    await emits([], () => post(`${webhooks}/${hook.id}/deliveries/1/resend`, {}))
    const ofTenant = ['signing_key.reseal', 'application.reseal']
    const ofThis = ['signing_key.reseal', 'connection.reseal', 'application.reseal']
    await emits([...ofThis, ...ofTenant, 'webhook.reseal'], async () => {
      writeFileSync(masterKeyFile, newKey() + readFileSync(masterKeyFile, 'utf8'))
      await expect.poll(() => emitted.length).toBe(6)
    })
    await emits(['webhook.delete'], () => remove(`${webhooks}/${hook.id}`))
    await emits(['connection.delete'], () => admin.deleteConnection(tenantId, connection))
    const profile = { email: 'bob@example.com' }
    const bob = (await emits(['user.create'], () => post(users, { profile }))).body
    await emits([], () => post(users, { profile }))
    await emits(['user.update'], () => post(`${users}/${bob.id}`, { profile, disabled: true }))
    const credentials = `${users}/${bob.id}/credentials`
    const password = { alg: 'md5', hash: digestOf.md5 }
    await emits(['credential.create'], () => post(credentials, { password }))
    await emits([], () => post(credentials, { password }))
    await emits(['credential.update'], () => post(`${credentials}/password`, { password }))
    await emits(['credential.delete'], () => remove(`${credentials}/password`))
    await emits([], () => remove(`${credentials}/password`))
    await emits(['user.update'], () => post(`${users}/${bob.id}`, { profile }))
    const mail = (await emits([], () => post(`/x${users}/${bob.id}/mails`, { kind: 'invite' })))
      .body
    await emits([], () => post(`/x${tenant}/mails/${mail.id}/resend`, {}))
    await emits([], () => post(`/x${users}/${bob.id}/let-try-again`, {}))
    await emits(['user.update'], () => remove(`/x${users}/${bob.id}/sessions`))
    await emits([], () => remove(`/x${users}/${bob.id}/sessions/none`))
    await emits([], () => remove(`/x${users}/${bob.id}/grants/none`))
    const program = `/x${tenant}/programs/agent.example`
    await emits(['tenant.update'], () => post(`${program}/block`, {}))
    await emits([], () => post(`${program}/block`, {}))
    await emits(['tenant.update'], () => post(`${program}/unblock`, {}))
    await emits(['user.delete'], () => remove(`${users}/${bob.id}`))
    const imported = ['grace', 'alan'].map((name) => ({
      profile: { email: `${name}@example.com` },
      password,
    }))
    const { body } = await emits(['user.create', 'user.create'], () =>
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

    // What users do at the pages
    const url = 'https://acme.example'
    const open = () => createBrowser({ url, fetch: service.fetch as never })
    const begin = new URL(`${url}/oidc/auth`)
    begin.search = new URLSearchParams({
      client_id: shop.id,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid',
      code_challenge: createHash('sha256').update('verifier').digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()
    const link = async () => (await service.outbox.list(tenantId))[0]?.link ?? ''

    const browser = open()
    const login = await browser.get(begin.href)
    const path = /href="([^"]*\/signup[^"]*)"/.exec(login.html)?.[1]?.replaceAll('&amp;', '&')
    const signup = await browser.get(path ?? '')
    await emits(['user.create'], () => browser.submit(signup, ada))
    const verify = await browser.get(await link())
    await emits(['user.verify'], () => browser.submit(verify))

    const visitor = open()
    const form = await visitor.get(begin.href)
    const wrong = { email: 'grace@example.com', password: 'wrong' }
    await emits([], () => visitor.submit(form, wrong))
    const entered = { email: 'grace@example.com', password: PASSWORD }
    const landed = await emits(['credential.upgrade'], () => visitor.submit(form, entered))
    expect(landed.location).toContain(`${callback}?code=`)

    const enrol = await visitor.get('/account/security/add?kind=totp_app')
    const [, seed = ''] = /<code>([A-Z2-7 ]{32,})<\/code>/.exec(enrol.html) ?? []
    const shown = await emits(['credential.create'], () =>
      visitor.submit(enrol, { code: codeOf(seed) }),
    )
    const [, code = ''] = /<code>([0-9A-Z-]{19})<\/code>/.exec(shown.html) ?? []
    const again = open()
    const second = await again.submit(await again.get(begin.href), entered)
    const recovery = await again.get(`${second.url}&kind=recovery_codes`)
    await emits(['credential.use'], () => again.submit(recovery, { code }))
    const ofUser = ['credential.reseal', 'credential.reseal']
    // Those of all tenants, then credentials, which are read in one list.
    await emits([...ofTenant, ...ofTenant, ...ofUser], async () => {
      writeFileSync(masterKeyFile, newKey() + readFileSync(masterKeyFile, 'utf8'))
      await expect.poll(() => emitted.length).toBe(6)
    })

    const forgetful = open()
    const ask = await forgetful.get('/reset')
    await emits([], () => forgetful.submit(ask, { email: 'alan@example.com' }))
    const reset = await forgetful.get(await link())
    await emits(['credential.reset'], () => forgetful.submit(reset, { password: ada.password }))

    const alan: string = body.data[1].id
    await emits(['credential.create'], () => admin.giveAuthenticatorApp(tenantId, alan))
    await emits(['credential.delete', 'credential.create'], () =>
      admin.giveAuthenticatorApp(tenantId, alan),
    )

    await emits(['application.delete'], () => remove(`${applications}/${shop.id}`))
    await emits(['signing_key.create', 'signing_key.delete'], () =>
      admin.rotateSigningKey(tenantId, { withdrawEarlier: true }),
    )

    const owner = { email: 'owner@example.com', role: 'owner' } as const
    await emits(['tenant.create', 'user.create', 'operator.invite'], () =>
      admin.inviteOperator(owner),
    )
    const viewer = { email: 'viewer@example.com', role: 'viewer' } as const
    const { operator } = await emits(['user.create', 'operator.invite'], () =>
      admin.inviteOperator(viewer),
    )
    await emits(['operator.recover', 'operator.invite'], () => admin.recoverOperator(viewer.email))
    await emits(['operator.update'], () => admin.updateOperator(operator.id, { role: 'admin' }))
    await emits(['operator.remove'], () => admin.removeOperator(operator.id))

    // Nothing was left out.
    expect([...seen, ...elsewhere].sort()).toEqual([...writeActions].sort())
    for (const name of Object.keys(service.admin)) {
      if (![...readers, afterRestore].includes(name)) expect(commands).toContain(name)
    }
    for (const { kind, path } of routes) {
      if (kind === 'get' || kind === 'list' || kind === 'query') continue
      const method = kind === 'delete' ? 'DELETE' : 'POST'
      const pattern = new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`)
      expect(requests).toContainEqual(expect.stringMatching(pattern))
    }
  })
})
