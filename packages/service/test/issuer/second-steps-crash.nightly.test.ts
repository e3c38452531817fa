import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createIdentityService } from '../../src/service.ts'
import { serveElsewhere } from '../store/serving.ts'
import { connectApi } from '../support/api.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { codeOf, hasCode, MFA, recoveryCodesOn, seedOn } from './support/factors.ts'
import { createFetchTo, type Fetch } from './support/loopback.ts'

const KILLS = 2
/** How many enrolments, and uses of recovery codes, have an answer before a kill. */
const ANSWERED = 2
const VISITORS = 3

const url = 'http://acme.localhost'
const redirectUri = 'http://localhost:3000/callback'
const password = 'correct horse battery'

/** What the visitors of one user were told, and what they did without an answer. */
interface Known {
  email: string
  id: string
  seed?: string
  /** Codes that were shown and never entered. */
  fresh: string[]
  spent: string[]
  /** A code that was entered, without an answer. */
  uncertain?: string | undefined
}

async function prepare(folder: string) {
  await using service = await createIdentityService({ data: folder, allowHttpOnLoopback: true })
  const emails = Array.from({ length: KILLS * VISITORS }, (_, n) => `user-${n}@example.com`)
  await service.admin.seed({
    tenants: [
      {
        settings: { domain: new URL(url).host, developer_mode: true, allow_totp_app: true },
        applications: [{ name: 'Shop', redirect_urls: [redirectUri] }],
        users: emails.map((email) => ({
          profile: { email, email_verified: true },
          password: { alg: 'plain', hash: password },
        })),
      },
    ],
  })
  const tenant = await service.admin.findTenant(new URL(url).host)
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: 'all' })
  const api = connectApi(service.fetch, secret, tenant?.id ?? '')
  const clientId: string = (await api.get(api.applications)).body.data[0].id
  const users = (await api.get(`${api.users}?limit=100`)).body.data as {
    id: string
    profile: { email: string }
  }[]
  const known: Known[] = users.map(({ id, profile }) => ({
    id,
    email: profile.email,
    fresh: [],
    spent: [],
  }))
  return { clientId, known, secret, tenantId: tenant?.id ?? '' }
}

/** The page that follows the password in a login by two factors. */
async function logIn(fetch: Fetch, clientId: string, email: string) {
  const browser = createBrowser({ url, fetch })
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    acr_values: MFA,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const form = await browser.get(`${url}/oidc/auth?${query}`)
  return { browser, page: await browser.submit(form, { email, password }) }
}

async function enterRecoveryCode(browser: Browser, page: Page, code: string): Promise<boolean> {
  const form = await browser.get(`${page.url}&kind=recovery_codes`)
  return hasCode(await browser.submit(form, { code }))
}

test(`killed ${KILLS} times amid enrolments and recoveries, the service leaves no half factor and takes no code twice`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-factors-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { clientId, known, secret, tenantId } = await prepare(folder)

  for (let round = 0; round <= KILLS; round++) {
    const serving = await serveElsewhere(folder)
    onTestFinished(() => serving.kill())
    const { fetch, close } = createFetchTo(serving.origin)
    onTestFinished(close)
    const overHttp = (to: unknown, init?: RequestInit) =>
      fetch(String(to).replace('https:', 'http:'), init)
    const api = connectApi(overHttp, secret, tenantId)
    for (const user of known.slice(0, round * VISITORS)) await check(fetch, api, user)
    if (round === KILLS) {
      expect(known.filter(({ seed }) => seed).length).toBeGreaterThanOrEqual(ANSWERED)
      return
    }

    let answered = 0
    let enough = () => {}
    const isEnough = new Promise<void>((resolve) => {
      enough = resolve
    })
    async function visit(user: Known): Promise<void> {
      const { browser, page } = await logIn(fetch, clientId, user.email)
      const seed = seedOn(page)
      const shown = await browser.submit(page, { code: codeOf(seed) })
      user.fresh = recoveryCodesOn(shown)
      user.seed = seed
      for (;;) {
        if (++answered >= ANSWERED * 2) enough()
        const next = await logIn(fetch, clientId, user.email)
        const code = user.fresh.shift()
        if (code === undefined) return
        user.uncertain = code
        expect(await enterRecoveryCode(next.browser, next.page, code)).toBe(true)
        user.spent.push(code)
        delete user.uncertain
      }
    }
    const visits = known.slice(round * VISITORS, (round + 1) * VISITORS).map(visit)
    await Promise.race([isEnough, Promise.all(visits)])
    await serving.kill()
    for (const end of await Promise.allSettled(visits)) {
      // Nothing but the end of the service may have ended a visit.
      if (end.status === 'rejected' && !(end.reason instanceof TypeError)) throw end.reason
    }
  }

  /** After a kill, everything that was answered holds, and what was not is whole or not there. */
  async function check(
    fetch: Fetch,
    api: ReturnType<typeof connectApi>,
    user: Known,
  ): Promise<void> {
    const listed = (await api.get(`${api.users}/${user.id}/credentials`)).body.data
    const kinds: string[] = listed.map(({ id }: { id: string }) => id)
    const { browser, page } = await logIn(fetch, clientId, user.email)
    if (!kinds.includes('totp_app')) {
      expect(user.seed).toBeUndefined()
      // The factor can be added as if nothing had happened.
      seedOn(page)
      return
    }
    expect(kinds).toContain('recovery_codes')
    if (user.seed === undefined) return
    for (const code of user.spent.slice(-2)) {
      expect(await enterRecoveryCode(browser, page, code)).toBe(false)
    }
    const codes = [user.uncertain, user.fresh.shift()].filter((code) => code !== undefined)
    for (const code of codes) {
      const first = await logIn(fetch, clientId, user.email)
      const isTaken = await enterRecoveryCode(first.browser, first.page, code)
      if (code !== user.uncertain) expect(isTaken).toBe(true)
      const second = await logIn(fetch, clientId, user.email)
      expect(await enterRecoveryCode(second.browser, second.page, code)).toBe(false)
      user.spent.push(code)
    }
    delete user.uncertain
  }
})
