import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '../../../testing/src/misbehaving-provider.ts'
import { connectAccount } from '../../src/domain/factors/social.ts'
import type { Connection, User } from '../../src/store/records.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { type Client, createClient } from './support/client.ts'
import {
  addApp,
  addMail,
  allFactors,
  codeOf,
  giveRecoveryCodes,
  hasCode,
  MFA,
  mailedCode,
} from './support/factors.ts'
import { instantPasswords } from './support/instant-passwords.ts'
import { startIssuer, type TestIssuer } from './support/issuer.ts'
import { createVirtualKey, giveKey, optionsOn } from './support/keys.ts'
import { answerOf, connect } from './support/social.ts'
import { ada, moveTime } from './support/token-endpoint.ts'
import { freeLimits, walksToMake } from './support/walks.ts'

let issuer: TestIssuer
let app: Client
let seed: string
let foreignId: string
let user: User
let provider: MisbehavingProvider
let connection: Connection
let strangers = 0
const key = createVirtualKey()
/** Of another user. */
const foreignKey = createVirtualKey()

beforeAll(async () => {
  const settings = {
    ...allFactors,
    allowHardware: true,
    allowSocial: true,
    rememberDevice: true,
    rememberDeviceSeconds: 86_400,
  }
  issuer = await startIssuer({ settings, passwords: instantPasswords, ...freeLimits })
  user = await issuer.addUser(ada)
  seed = (await addApp(issuer, user)).seed
  await addMail(issuer, user)
  await giveKey(issuer, user, key)
  const grace = await issuer.addUser({ ...ada, email: 'grace@example.com' })
  await giveKey(issuer, grace, foreignKey, 'second')
  foreignId = await keyIdOf(grace)
  app = await createClient(issuer)
  provider = await startMisbehavingProvider()
  connection = await connect(issuer, provider)
  await connectAccount(issuer.scope, user, {
    connectionId: connection.id,
    issuer: provider.issuer,
    subject: 'ada',
    email: '',
  })
})

afterAll(async () => {
  await issuer[Symbol.asyncDispose]()
  await provider.close()
})
afterEach(() => {
  vi.useRealTimers()
})

const pages = [
  ...['', '/passkey', '/code', '/social', '/factor', '/enrol'],
  ...['/signup', '/reset', '/sent', '/other'],
]
const queries = [
  '',
  '&kind=hardware',
  '&kind=totp_app',
  '&kind=totp_email',
  '&kind=recovery_codes',
  '&start=login',
  '&start=other',
  '&problem=denied',
]
const names = [
  'email',
  'password',
  'credential',
  'code',
  'kind',
  'step',
  'trust',
  'userId',
  'proofs',
  'remove',
  'connection',
  'state',
]
const values = ['', 'yes', 'send', 'skip', 'continue', 'resend', 'totp_app', 'totp_email', '000000']

const step = fc.record({
  page: fc.constantFrom(...pages),
  query: fc.constantFrom(...queries),
  isPost: fc.boolean(),
  fields: fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values)), {
    maxLength: 4,
  }),
  /** Proves the first step, if the walk may. */
  proves: fc.boolean(),
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** How the authenticator of a user calls the only key of the user. */
async function keyIdOf({ id }: User): Promise<string> {
  const page = { after: undefined, limit: 10 }
  const listed = await issuer.domain.store.credentials.list(issuer.tenant.id, id, page)
  const found = listed?.items.find(({ kind }) => kind === 'hardware')
  return found?.kind === 'hardware' ? found.keyId : ''
}

/** The form token of a login, from any of its pages. */
async function begin(browser: Browser, parameters: Record<string, string>) {
  const form = await browser.get((await app.begin(parameters)).url)
  const csrf = /name="csrf" value="([^"]+)"/.exec(form.html)?.[1] ?? ''
  // A walk that begins no login shows nothing.
  expect(csrf).not.toBe('')
  return { base: new URL(form.url), csrf }
}

async function walk(steps: readonly Step[], known: Record<string, string>, acr: boolean) {
  const browser = createBrowser(issuer)
  const { base, csrf } = await begin(browser, acr ? { acr_values: MFA } : {})
  for (const { page, query, isPost, fields, proves } of steps) {
    const url = `${base.origin}${base.pathname}${page}${base.search}${query}`
    const sent = new URLSearchParams([['csrf', csrf], ...fields])
    if (proves) for (const [name, value] of Object.entries(known)) sent.append(name, value)
    const form = [...sent].map(([name, value]) => {
      return `<input name="${name}" value="${value.replaceAll('"', '')}">`
    })
    const html = `<form>${form.join('')}</form>`
    const answer = isPost
      ? await browser.submit({ url, status: 200, headers: new Headers(), location: '', html })
      : await browser.get(url)
    expect(hasCode(answer)).toBe(false)
    expect(answer.status).toBeLessThan(500)
  }
  const silent = await browser.get((await app.begin({ prompt: 'none' })).url)
  expect(hasCode(silent)).toBe(false)
}

const walks = fc.array(step, { minLength: 1, maxLength: 8 })

const HOUR = 3_600_000

test(
  'a random walk over the pages of a login that proves only the password yields no code',
  async () => {
    await fc.assert(
      fc.asyncProperty(walks, fc.boolean(), (steps, acr) => walk(steps, ada, acr)),
      walksToMake(50),
    )
    expect(issuer.problems).toEqual([])
  },
  HOUR,
)

test(
  'a random walk over the pages of a login that proves only the second step yields no code',
  async () => {
    await fc.assert(
      fc.asyncProperty(walks, fc.boolean(), (steps, acr) =>
        walk(steps, { kind: 'totp_app', code: codeOf(seed) }, acr),
      ),
      walksToMake(25),
    )
    expect(issuer.problems).toEqual([])
  },
  HOUR,
)

test('the code that was mailed in one login does not finish another one', async () => {
  const one = createBrowser(issuer)
  const two = createBrowser(issuer)
  const forms: Page[] = []
  for (const browser of [one, two]) {
    const login = await browser.get((await app.begin()).url)
    const factor = await browser.submit(login, ada)
    const mail = await browser.get(`${factor.url}&kind=totp_email`)
    forms.push(await browser.submit(mail, { step: 'send' }))
  }
  const code = await mailedCode(issuer)
  expect(hasCode(await one.submit(forms[0] as Page, { code }))).toBe(false)
  expect(hasCode(await two.submit(forms[1] as Page, { code }))).toBe(true)
})

/** What a walk can do with the page that it is at, right or wrong. */
const moves = [
  'password',
  'wrong password',
  'app',
  'app again',
  'app of another user',
  'recovery code',
  'recovery code again',
  'mail',
  'mailed code',
  'mailed code of another login',
  'passkey',
  'provider',
  'provider again',
  'provider with a foreign address',
  'key',
  'key again',
  'key of another user',
  'trust and app',
  'skip',
  'back to the password',
  'begin again',
  'begin strongly',
  'begin with a key',
  'silently',
  'step up',
] as const

/**
 * What the application may be told after these proofs; `undefined`: there is no code yet.
 *
 * @param isTrusted - Whether the user trusts this browser, so that the password is enough.
 */
function expectedAmr(proofs: ReadonlySet<string>, isTrusted: boolean): string[] | undefined {
  if (proofs.has('passkey')) return ['swk', 'user', 'mfa']
  if (proofs.has('provider')) return amrAfterProvider(proofs, isTrusted)
  if (!proofs.has('password')) return undefined
  if (proofs.size < 2) return isTrusted ? ['pwd'] : undefined
  const has = (...some: string[]) => some.some((proof) => proofs.has(proof))
  return [
    'pwd',
    ...(has('app', 'recovery', 'mail') ? ['otp'] : []),
    ...(has('key') ? ['swk', 'user'] : []),
    ...(has('app', 'recovery', 'key') ? ['mfa'] : []),
  ]
}

function amrAfterProvider(proofs: ReadonlySet<string>, isTrusted: boolean): string[] | undefined {
  if (proofs.size < 2) return isTrusted ? ['fed'] : undefined
  const has = (...some: string[]) => some.some((proof) => proofs.has(proof))
  return [
    'fed',
    ...(has('app', 'recovery', 'mail') ? ['otp'] : []),
    ...(has('key') ? ['swk', 'user'] : []),
  ]
}

/** What a login must say of itself to meet what the application asks for; this user has every factor. */
const markOf: Record<string, string> = { [MFA]: 'mfa', phr: 'user' }

/** Walks as a person does who knows everything or nothing, and keeps a model of what is proven. */
async function wander(sequence: readonly (typeof moves)[number][]): Promise<number> {
  const browser = createBrowser(issuer)
  let codes = await giveRecoveryCodes(issuer.scope, user)
  let usedCode = ''
  let usedTotp = ''
  let proofs = new Set<string>()
  /** Of the session: what the latest login in this browser has proven. */
  let session = new Set<string>()
  let opened = 0
  let trusts = false
  let isTrusted = false
  let usedKey = ''
  let usedAnswer = ''
  let wanted = ''
  let begun = await app.begin()
  let page = await browser.get(begun.url)

  const has = (name: string) => new RegExp(`name="${name}"`).test(page.html)
  const isAt = (kind: string) => page.html.includes(`name="kind" value="${kind}"`)
  async function start(parameters: Record<string, string> = {}): Promise<void> {
    wanted = parameters.acr_values ?? ''
    begun = await app.begin(parameters)
    page = await browser.get(begun.url)
  }
  /** Answers a question to a key, on the login form or in the second step. */
  async function answer(credential: string, proof?: 'passkey' | 'key'): Promise<void> {
    if (has('password')) proofs = new Set()
    if (proof) proofs.add(proof)
    page = await browser.submit(page, { credential, ...(isAt('hardware') && { trust: '' }) })
  }
  async function toKind(kind: string): Promise<boolean> {
    const [, href] = new RegExp(`href="([^"]*kind=${kind})"`).exec(page.html) ?? []
    if (href) page = await browser.get(href.replaceAll('&amp;', '&'))
    return isAt(kind)
  }
  async function enter(kind: string, code: string, proof?: string, more = {}): Promise<boolean> {
    if (!(await toKind(kind)) || !has('code')) return false
    if (proof) proofs.add(proof)
    // The box to trust the browser is a field of the form, ticked or not.
    page = await browser.submit(page, { code, trust: '', ...more })
    return true
  }
  async function enterTotp(more = {}): Promise<boolean> {
    moveTime(30)
    const code = codeOf(seed)
    const isEntered = await enter('totp_app', code, 'app', more)
    if (isEntered) usedTotp = code
    return isEntered
  }

  for (const move of sequence) {
    switch (move) {
      case 'password':
      case 'wrong password': {
        if (!has('password')) break
        const isRight = move === 'password'
        proofs = new Set(isRight ? ['password'] : [])
        page = await browser.submit(page, isRight ? ada : { ...ada, password: 'wrong' })
        break
      }
      case 'app':
        await enterTotp()
        break
      case 'trust and app':
        trusts = await enterTotp({ trust: 'yes' })
        break
      case 'app again':
        if (usedTotp !== '') await enter('totp_app', usedTotp)
        break
      case 'app of another user':
        await enter('totp_app', codeOf('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'))
        break
      case 'recovery code': {
        const [code = '', ...rest] = codes
        if (code === '' || !(await toKind('recovery_codes'))) break
        codes = rest
        usedCode = code
        await enter('recovery_codes', code, 'recovery')
        break
      }
      case 'recovery code again':
        if (usedCode !== '') await enter('recovery_codes', usedCode)
        break
      case 'mail':
        if (await toKind('totp_email')) page = await browser.submit(page, { step: 'send' })
        break
      case 'mailed code':
        if ((await toKind('totp_email')) && has('code')) {
          await enter('totp_email', await mailedCode(issuer), 'mail')
        }
        break
      case 'mailed code of another login':
        await enter('totp_email', '00000000')
        break
      case 'passkey':
        if (!has('password')) break
        usedKey = key.get(optionsOn(page), issuer.url)
        await answer(usedKey, 'passkey')
        break
      case 'provider':
      case 'provider with a foreign address': {
        if (!has('connection')) break
        const isOwn = move === 'provider'
        // A new one each time: a walk that proves everything connects it.
        provider.user = { sub: isOwn ? 'ada' : `stranger-${++strangers}`, email: ada.email }
        proofs = new Set(isOwn ? ['provider'] : [])
        usedAnswer = await answerOf(await browser.submit(page, { connection: connection.id }))
        page = await browser.get(usedAnswer)
        break
      }
      case 'provider again':
        if (usedAnswer !== '') page = await browser.get(usedAnswer)
        break
      case 'key':
        if (!(await toKind('hardware'))) break
        usedKey = key.get(optionsOn(page), issuer.url)
        await answer(usedKey, 'key')
        break
      case 'key again':
        if (usedKey !== '' && (has('password') || (await toKind('hardware')))) await answer(usedKey)
        break
      case 'key of another user': {
        if (!has('password') && !(await toKind('hardware'))) break
        const asked = { ...optionsOn(page), allowCredentials: [{ id: foreignId }] }
        await answer(foreignKey.get(asked, issuer.url))
        break
      }
      case 'skip':
        if (has('step') && page.html.includes('value="skip"')) {
          page = await browser.submit(page, { step: 'skip' })
        }
        break
      case 'back to the password':
        if (page.url.includes('/login/')) {
          page = await browser.get(`${page.url.replace(/\/(factor|enrol)\b/, '')}&start=login`)
        }
        break
      case 'begin again':
        await start({ prompt: 'login' })
        break
      case 'begin strongly':
        await start({ acr_values: MFA, prompt: 'login' })
        break
      case 'begin with a key':
        await start({ acr_values: 'phr', prompt: 'login' })
        break
      case 'silently':
        await start({ prompt: 'none' })
        break
      case 'step up':
        proofs = new Set(session)
        await start({ acr_values: MFA })
        break
    }
    expect(page.status).toBeLessThan(500)
    if (!hasCode(page)) continue
    opened++
    // A code without a login of its own comes from the session.
    const shown = move === 'silently' ? session : proofs.size === 0 ? session : proofs
    const claims = (await app.redeem(begun, page)).claims()
    expect(claims?.amr).toEqual(expectedAmr(shown, isTrusted))
    // After a provider nothing is as strong; the application is told so, and not refused.
    const isMet = !shown.has('provider')
    if (markOf[wanted] && isMet) expect(claims?.amr).toContain(markOf[wanted])
    session = new Set(shown)
    isTrusted ||= trusts
    trusts = false
    proofs = new Set()
    await start({ prompt: 'login' })
  }
  return opened
}

test(
  'the ID token after a random walk claims no more than the walk has proven, and none is issued for less than two steps',
  async () => {
    expect(await wander(['passkey'])).toBe(1)
    expect(await wander(['provider'])).toBe(0)
    expect(await wander(['provider', 'app', 'provider again'])).toBe(1)
    expect(await wander(['provider', 'trust and app', 'provider'])).toBe(2)
    expect(await wander(['provider with a foreign address', 'password', 'key'])).toBe(1)
    expect(await wander(['begin with a key', 'password', 'app', 'key'])).toBe(1)
    expect(await wander(['begin with a key', 'password', 'app', 'mail', 'mailed code'])).toBe(0)
    let opened = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...moves), { minLength: 2, maxLength: 14 }),
        async (sequence) => {
          opened += await wander(sequence)
        },
      ),
      walksToMake(30),
    )
    // Walks that get nowhere would show nothing.
    expect(opened).toBeGreaterThan(0)
    expect(issuer.problems).toEqual([])
  },
  HOUR,
)
