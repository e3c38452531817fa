import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { verify } from '@node-rs/bcrypt'
import * as client from 'openid-client'
import { expect, onTestFinished, test } from 'vitest'
import { createIdentityService } from '../../src/service.ts'
import { type Serving, serveElsewhere } from '../store/serving.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { createFetchTo } from './support/loopback.ts'

const KILLS = 3
/** How many of each kind are acknowledged before a kill, at least. */
const ACKNOWLEDGED = { signups: 2, resets: 2, verifications: 2, codes: 6 }
/** Users without a password for each visitor who sets one. */
const IMPORTED = 6

const issuer = 'http://acme.localhost'
const redirectUri = 'http://localhost:3000/callback'
const ada = { email: 'ada@example.com', password: 'correct horse battery' }

/** A code that a browser was sent to the application with. */
interface Code {
  callback: URL
  verifier: string
  /** Whether the answer to its redemption had tokens in it. */
  isRedeemed: boolean
  /** Whether a redemption was begun that had no answer. */
  isUncertain: boolean
}

/** Everything that a visitor was told is done. */
interface Ledger {
  /** Passwords by address: of accounts that were created, and the last one that was set. */
  passwords: Map<string, string>
  verified: Set<string>
  /** Links that have done what they are for. */
  spentLinks: Set<string>
  codes: Code[]
}

test(`killed ${KILLS} times amid logins, the service spends no code twice and loses no sign-up, reset or verification`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-logins-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const application = await prepare(folder)
  const ledger: Ledger = {
    passwords: new Map(),
    verified: new Set(),
    spentLinks: new Set(),
    codes: [],
  }
  for (let round = 0; round <= KILLS; round++) {
    const serving = await serveElsewhere(folder)
    onTestFinished(() => serving.kill())
    const service = await connect(serving, application)
    await check(service, ledger)
    if (round === KILLS) return

    const count = { signups: 0, resets: 0, verifications: 0, codes: 0 }
    const storm = Promise.allSettled([
      ...['a', 'b'].map((name) => signUp(service, `${round}-${name}`, ledger, count)),
      ...['a', 'b'].map((name) => reset(service, `${round}-${name}`, ledger, count)),
      collectCodes(service, ledger, count),
      collectCodes(service, ledger, count),
    ])
    const ended = storm.then((ends) => {
      for (const end of ends) {
        if (end.status === 'rejected' && end.reason instanceof Refused) throw end.reason
      }
    })
    await Promise.race([ended, reaches(count, ACKNOWLEDGED)])
    await sleep(Math.random() * 60)
    await serving.kill()
    await ended
  }
})

type Count = typeof ACKNOWLEDGED

/** Resolves when there are at least as many as wanted of each kind. */
async function reaches(count: Count, wanted: Count): Promise<void> {
  const kinds = Object.keys(wanted) as (keyof Count)[]
  while (kinds.some((kind) => count[kind] < wanted[kind])) await sleep(5, undefined, { ref: false })
}

/** The service answered, but not as it should have. */
class Refused extends Error {}

/** Creates the tenant with the application and a user. */
async function prepare(folder: string): Promise<{ id: string; secret: string; key: string }> {
  await using service = await createIdentityService({ data: folder, allowHttpOnLoopback: true })
  await service.admin.seed({
    tenants: [
      {
        settings: { domain: new URL(issuer).host, developer_mode: true },
        applications: [{ name: 'Shop', redirect_urls: [redirectUri] }],
        users: [
          {
            profile: { email: ada.email, email_verified: true },
            password: { alg: 'plain', hash: ada.password },
          },
          ...importedUsers(),
        ],
      },
    ],
  })
  const [tenant] = await service.admin.listTenants()
  const { secret: key } = await service.admin.createApiKey({ name: 'test', reach: 'all' })
  const answer = await service.fetch(`${issuer}/v1/tenants/${tenant?.id}/applications`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = (await answer.json()) as { data: { id: string; secret: string }[] }
  return { id: '', secret: '', ...data[0], key }
}

/** Users without a password, enough for everybody who sets one. */
function importedUsers(): object[] {
  const visitors = Array.from({ length: KILLS }, (_, round) => ['a', 'b'].map((v) => [round, v]))
  return visitors.flat().flatMap(([round, visitor]) =>
    Array.from({ length: IMPORTED }, (_, n) => ({
      profile: { email: `imported-${round}-${visitor}-${n}@example.com` },
    })),
  )
}

type Service = Awaited<ReturnType<typeof connect>>

/** What visitors and the application do at the service of another process. */
async function connect(
  { origin }: Serving,
  { id, secret, key }: { id: string; secret: string; key: string },
) {
  const { fetch, close } = createFetchTo(origin)
  onTestFinished(close)
  const config = await client.discovery(new URL(issuer), id, secret, undefined, {
    execute: [client.allowInsecureRequests],
    [client.customFetch]: fetch as client.CustomFetch,
  })
  config[client.customFetch] = fetch as client.CustomFetch
  return { fetch, config, key }
}

/** A browser at an address of its own, so that no limit for one client slows the storm. */
function openBrowser({ fetch }: Service): Browser {
  const browser = createBrowser({ url: issuer, fetch })
  const [a, b] = [Math.random(), Math.random()].map((part) => Math.floor(part * 250))
  browser.headers['x-forwarded-for'] = `198.51.${a}.${b}`
  return browser
}

async function begin({ config }: Service): Promise<{ url: string; verifier: string }> {
  const verifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { url: url.href, verifier }
}

/** Creates one account after the other and proves its address. */
async function signUp(
  service: Service,
  visitor: string,
  ledger: Ledger,
  count: Count,
): Promise<void> {
  for (let n = 0; ; n++) {
    const email = `visitor-${visitor}-${n}@example.com`
    const password = `the password of ${visitor}`
    const browser = openBrowser(service)
    const login = await browser.get((await begin(service)).url)
    const form = await browser.get(linkIn(login, '/signup'))
    demand(await browser.submit(form, { email, password }), 'Check your inbox')
    count.signups++

    const link = await mailedLink(service, email)
    demand(await browser.submitOnly(await browser.get(link)), '', 303)
    ledger.passwords.set(email, password)
    ledger.verified.add(email)
    ledger.spentLinks.add(link)
    count.verifications++
  }
}

/** Sets the password of one user after the other who has none yet. */
async function reset(
  service: Service,
  visitor: string,
  ledger: Ledger,
  count: Count,
): Promise<void> {
  for (let n = 0; n < IMPORTED; n++) {
    const email = `imported-${visitor}-${n}@example.com`
    const password = `the password of ${visitor}`
    const browser = openBrowser(service)
    demand(await browser.submit(await browser.get('/reset'), { email }), 'Check your inbox')
    const link = await mailedLink(service, email)
    demand(await browser.submit(await browser.get(link), { password }), 'password is set')
    ledger.passwords.set(email, password)
    ledger.verified.add(email)
    ledger.spentLinks.add(link)
    count.resets++
  }
}

/** Logs in once, then obtains code after code, and redeems two of three. */
async function collectCodes(service: Service, ledger: Ledger, count: Count): Promise<void> {
  const browser = openBrowser(service)
  const first = await begin(service)
  await browser.submit(await browser.get(first.url), ada)
  for (let n = 0; ; n++) {
    const { url, verifier } = await begin(service)
    const callback = new URL((await browser.get(url)).location ?? '')
    if (!callback.searchParams.has('code')) throw new Refused(`No code: ${callback.href}`)
    const code: Code = { callback, verifier, isRedeemed: false, isUncertain: false }
    ledger.codes.push(code)
    if (n % 3 === 0) continue
    code.isUncertain = true
    if (!(await redeem(service, code))) throw new Refused('A fresh code was refused.')
    code.isUncertain = false
    count.codes++
  }
}

/** Whether the code was good for tokens. */
async function redeem({ config }: Service, code: Code): Promise<boolean> {
  try {
    const checks = { pkceCodeVerifier: code.verifier }
    await client.authorizationCodeGrant(config, code.callback, checks)
    code.isRedeemed = true
    return true
  } catch (error) {
    if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') return false
    throw error
  }
}

/** Whether nobody has tried to redeem it yet. */
function isFresh({ isRedeemed, isUncertain }: Code): boolean {
  return !isRedeemed && !isUncertain
}

/** Compares what is there with what visitors were told. */
async function check(service: Service, ledger: Ledger): Promise<void> {
  // A code that comes back revokes the grant of its session, so those that are still good go first.
  const [fresh, others] = [isFresh, (code: Code) => !isFresh(code)].map((choose) =>
    ledger.codes.filter(choose),
  ) as [Code[], Code[]]
  for (const code of fresh) expect(await redeem(service, code), 'an unspent code').toBe(true)
  for (const code of others) {
    const isGood = await redeem(service, code)
    if (!code.isUncertain) expect(isGood, 'a spent code').toBe(false)
  }
  for (const code of ledger.codes) expect(await redeem(service, code)).toBe(false)

  const users = await usersByEmail(service)
  for (const [email, { hash }] of users) {
    if (email.startsWith('visitor')) expect(hash, 'no account is half there').toBeDefined()
  }
  const checks = [...ledger.passwords].map(async ([email, password]) => {
    const isRight = await verify(password, users.get(email)?.hash ?? '')
    return isRight ? [] : [email]
  })
  expect((await Promise.all(checks)).flat(), 'accounts without their password').toEqual([])
  for (const email of ledger.verified) expect(users.get(email)?.isVerified, email).toBe(true)
  for (const link of ledger.spentLinks) {
    expect((await openBrowser(service).get(link)).status, 'a spent link').toBe(410)
  }
  ledger.codes = []
  ledger.passwords.clear()
  ledger.verified.clear()
  ledger.spentLinks.clear()
}

interface Found {
  isVerified: boolean
  hash: string | undefined
}

async function usersByEmail({ fetch, key }: Service): Promise<Map<string, Found>> {
  const get = async (path: string) => {
    const answer = await fetch(issuer + path, { headers: { authorization: `Bearer ${key}` } })
    // biome-ignore lint/suspicious/noExplicitAny: lists of different kinds
    return ((await answer.json()) as { data: any[] }).data
  }
  const [{ id }] = (await get('/v1/tenants')) as [{ id: string }]
  const found = new Map<string, Found>()
  for (let after = ''; ; ) {
    const users = await get(`/v1/tenants/${id}/users${after}`)
    for (const user of users) {
      const [password] = await get(`/v1/tenants/${id}/users/${user.id}/credentials`)
      const isVerified: boolean = user.profile.email_verified ?? false
      found.set(user.profile.email, { isVerified, hash: password?.password.hash })
    }
    if (users.length < 100) return found
    after = `?after=${users.at(-1).id}`
  }
}

/** The link in the newest captured message to the address. */
async function mailedLink({ fetch, key }: Service, email: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` }
  const outbox = await fetch(`${issuer}/x/outbox`, { headers })
  const mine = (await outbox.text())
    .split('<article>')
    .find((article) => article.includes(`${email} ·`))
  return linkIn({ html: mine ?? '' }, issuer)
}

function linkIn({ html }: Pick<Page, 'html'>, part: string): string {
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link)
  const found = links.find((link) => link.includes(part))
  if (found === undefined) throw new Refused(`No link with ${part} in: ${html}`)
  return found.replaceAll('&amp;', '&')
}

function demand(page: Page, text: string, status = 200): void {
  if (page.status === status && page.html.includes(text)) return
  throw new Refused(`${page.url}: ${page.status} ${page.html.slice(0, 2_000)}`)
}
