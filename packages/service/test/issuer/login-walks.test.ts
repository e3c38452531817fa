import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PasswordEngine } from '../../src/domain/password-engine.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { type Client, createClient } from './support/client.ts'
import { addApp, addMail, allFactors, codeOf, MFA, mailedCode } from './support/factors.ts'
import { startIssuer, type TestIssuer } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

/** Walks need many logins, so hashing costs nothing here. */
const passwords: PasswordEngine = {
  dummyHash: 'hash of nothing',
  load: { running: 0, waiting: 0 },
  hash: async (text) => `hash of ${text}`,
  verify: async (text, stored) => stored === `hash of ${text}`,
}

const free = { free: 1e6, baseSeconds: 1, maxSeconds: 1, forgetSeconds: 1 }
const limits = {
  loginPerAddress: free,
  loginAnywhere: free,
  loginPerClient: free,
  loginPerDevice: free,
  factorPerUser: free,
  factorAnywhere: free,
  mailPerAddress: free,
  mailPerClient: free,
}

let issuer: TestIssuer
let app: Client
let seed: string

beforeAll(async () => {
  const settings = { ...allFactors, rememberDevice: true, rememberDeviceSeconds: 86_400 }
  issuer = await startIssuer({ settings, passwords, limits })
  const user = await issuer.addUser(ada)
  seed = (await addApp(issuer, user)).seed
  await addMail(issuer, user)
  app = await createClient(issuer)
})

afterAll(() => issuer[Symbol.asyncDispose]())

const pages = ['', '/factor', '/enrol', '/signup', '/reset', '/sent', '/other']
const queries = ['', '&kind=totp_app', '&kind=totp_email', '&kind=recovery_codes', '&start=login']
const names = ['email', 'password', 'code', 'kind', 'step', 'trust', 'userId', 'proofs', 'remove']
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

/** Whether an answer, or what it leads to, carries a code for the application. */
const opens = ({ location }: Page) => /[?&]code=/.test(location ?? '')

/** The form token of a login, from any of its pages. */
async function begin(browser: Browser, parameters: Record<string, string>) {
  const form = await browser.get((await app.begin(parameters)).url)
  const csrf = /name="csrf" value="([^"]+)"/.exec(form.html)?.[1] ?? ''
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
    expect(opens(answer)).toBe(false)
    expect(answer.status).toBeLessThan(500)
  }
  const silent = await browser.get((await app.begin({ prompt: 'none' })).url)
  expect(opens(silent)).toBe(false)
}

const walks = fc.array(step, { minLength: 1, maxLength: 8 })

test('no walk over the pages of a login that proves the password alone yields a code', async () => {
  await fc.assert(
    fc.asyncProperty(walks, fc.boolean(), (steps, acr) => walk(steps, ada, acr)),
    { numRuns: 100 },
  )
  expect(issuer.problems).toEqual([])
}, 120_000)

test('no walk over the pages of a login that proves the second step alone yields a code', async () => {
  await fc.assert(
    fc.asyncProperty(walks, fc.boolean(), (steps, acr) =>
      walk(steps, { kind: 'totp_app', code: codeOf(seed) }, acr),
    ),
    { numRuns: 50 },
  )
  expect(issuer.problems).toEqual([])
}, 120_000)

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
  expect(opens(await one.submit(forms[0] as Page, { code }))).toBe(false)
  expect(opens(await two.submit(forms[1] as Page, { code }))).toBe(true)
})
