import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { resetPassword } from '../../src/domain/users/accounts.ts'
import { deleteCredential, updatePassword } from '../../src/domain/users/credentials.ts'
import {
  createPasswordEngine,
  type PasswordEngine,
} from '../../src/domain/users/password-engine.ts'
import { findPassword, hashPassword } from '../../src/domain/users/passwords.ts'
import { deleteUser } from '../../src/domain/users/users.ts'
import { originOf } from '../../src/domain/ways/valid-links.ts'
import type { DataStore } from '../../src/store/ports.ts'
import type { User } from '../../src/store/records.ts'
import { anAudit } from '../store/records.ts'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { startIssuer, storeKinds, type TestIssuer } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const NEW_PASSWORD = 'another horse battery'

type Change = (issuer: TestIssuer, user: User) => Promise<unknown>

async function reset({ scope, domain }: TestIssuer, user: User): Promise<void> {
  const stored = await hashPassword(scope, NEW_PASSWORD, 'login')
  expect(await resetPassword(scope, user, stored, await originOf(domain, user))).toBe(true)
}

async function change({ scope }: TestIssuer, user: User, disabled: boolean) {
  const stored = await findPassword(scope, user.id)
  const kept = { alg: stored?.password.alg ?? '', hash: stored?.password.hash ?? '' }
  const password = disabled ? kept : { alg: 'plain', hash: NEW_PASSWORD }
  const input = { disabled, metadata: {}, ...password }
  await updatePassword(scope, user.id, input)
}

const changes: [string, Change][] = [
  ['the password was reset', reset],
  ['the password was changed', (issuer, user) => change(issuer, user, false)],
  ['the password was disabled', (issuer, user) => change(issuer, user, true)],
  ['the password was deleted', ({ scope }, user) => deleteCredential(scope, user.id, 'password')],
  ['the user was blocked', (issuer, user) => issuer.changeUser(user, { disabled: true })],
  ['the user was deleted', ({ scope }, user) => deleteUser(scope, user.id)],
]

/** The real engine, with something that happens while a password is verified, once. */
function engineWith(meanwhile: () => Promise<unknown>): PasswordEngine {
  const engine = createPasswordEngine()
  let isDone = false
  return {
    ...engine,
    async verify(...given) {
      const matches = await engine.verify(...given)
      if (!isDone) await meanwhile()
      isDone = true
      return matches
    },
  }
}

describe.each(storeKinds)('on %s', (store) => {
  test.each(changes)(
    'a login is refused when %s while its password was verified',
    async (_, apply) => {
      const passwords = engineWith(() => apply(issuer, user))
      await using issuer = await startIssuer({ store, passwords })
      const user = await issuer.addUser(ada)
      const browser = createBrowser(issuer)
      const begun = await (await createClient(issuer)).begin()

      const answer = await browser.submit(await browser.get(begun.url), ada)
      expect(answer.status).toBe(422)
      expect(answer.html).toContain('role="alert"')
      expect(await issuer.actions()).not.toContain('login.succeeded')
    },
  )

  // A disabled password refuses logins and ends none.
  test.each(changes.filter(([name]) => name !== 'the password was disabled'))(
    'a login is void when %s just after its password was verified',
    async (_, apply) => {
      const wrapData = (data: DataStore): DataStore => ({
        ...data,
        audit: {
          ...data.audit,
          async append(entry) {
            if (entry.action === 'login.succeeded') await apply(issuer, user)
            return data.audit.append(entry)
          },
        },
      })
      await using issuer = await startIssuer({ store, wrapData })
      const user = await issuer.addUser(ada)
      const browser = createBrowser(issuer)
      const begun = await (await createClient(issuer)).begin()
      const form = await browser.get(begun.url)

      const answer = await browser.submit(form, ada)
      expect(answer.location).toBeUndefined()
      expect((await browser.get(begun.url)).location).toBeUndefined()
    },
  )

  test('a login page whose session ended meanwhile begins the login anew', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)
    const begun = await app.begin({ prompt: 'login' })
    const form = await browser.get(begun.url)
    await reset(issuer, user)
    await issuer.idle()

    const credentials = { email: ada.email, password: NEW_PASSWORD }
    const again = await browser.submit(form, credentials)
    expect(again.html).toContain('name="password"')
    const callback = await browser.submit(again, credentials)
    expect((await app.redeem(begun, callback)).claims()?.sub).toBe(user.id)
  })

  test('a login that begins right after a new password was set goes on while the old session ends', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const app = await createClient(issuer)
    const { browser } = await logIn(issuer, app, ada)
    await issuer.idle()
    // Written past the domain, so that the session ends when the log is followed the next time.
    const hash = await hashPassword(issuer.scope, NEW_PASSWORD, 'login')
    await issuer.domain.store.credentials.update(
      issuer.tenant.id,
      user.id,
      'password',
      (last) => ({
        credential: { ...last, password: hash } as typeof last,
        sessionsValidAfter: Date.now() * 1000,
      }),
      { ...anAudit('credential.reset'), tenantId: issuer.tenant.id, target: `${user.id}/password` },
    )
    const begun = await app.begin()
    const form = await browser.get(begun.url)
    await issuer.idle()

    const callback = await browser.submit(form, { email: ada.email, password: NEW_PASSWORD })
    expect((await app.redeem(begun, callback)).claims()?.sub).toBe(user.id)
  })

  test('parallel logins with a password from another system all succeed', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser({ email: ada.email })
    const digest = createHash('sha1').update(ada.password).digest('hex')
    await issuer.setPassword(user, 'sha1', digest)
    const app = await createClient(issuer)
    const callbacks = await Promise.all(
      Array.from({ length: 3 }, async () => (await logIn(issuer, app, ada)).callback),
    )
    for (const { location } of callbacks) expect(location).toContain('code=')
  })
})
