import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import type { Response } from 'supertest'
import {
  type Bench,
  type Case,
  cookiesOf,
  locationOf,
  PAGE,
  pathOf,
  type Setup,
  type Site,
  type Visitor,
} from '../bench.ts'

const RECORDER = '/__latchkey'

export const recordings: readonly Case[] = [
  [
    'in development a page shows each step of a login, the cookies and the claims of the ID token',
    async (bench) => {
      const { site, letIn } = await openForDeveloper(bench)
      const visitor = await site.user()
      await letIn(visitor)
      const answer = await visitor.open(RECORDER)
      assert.equal(answer.status, 200)
      assert.match(String(answer.headers['content-type']), /^text\/html/)
      for (const said of [
        'Redirected to the provider',
        'The provider sent the visitor back',
        'The code was redeemed',
        'The session is stored under a new id',
        'logged in',
        'latchkey, ',
        'ada@example.com',
      ]) {
        assert.ok(answer.text.includes(said), `${said} is on the page`)
      }
    },
  ],
  [
    'the page says why a login failed and what to do',
    async (bench) => {
      const { site, letIn } = await openForDeveloper(bench)
      const visitor = site.visitor()
      await letIn(visitor)
      const begun = await visitor.open('/login')
      const { searchParams } = locationOf(begun)
      const state = encodeURIComponent(String(searchParams.get('state')))
      await visitor.open(`/callback?state=${state}&error=access_denied`)
      const { text } = await visitor.open(RECORDER)
      assert.match(text, /403 LATCHKEY_LOGIN_DENIED|LATCHKEY_ISSUER_MISMATCH/)
      assert.match(text, /What to do:/)
    },
  ],
  [
    'the page says which requirement of a guard a user did not meet',
    async (bench) => {
      const handle = async () => ({ body: 'secret' })
      const { site, letIn } = await openForDeveloper(bench, {
        routes: [{ method: 'get', path: '/admin', requirement: { roles: ['admin'] }, handle }],
      })
      const visitor = await site.user()
      await letIn(visitor)
      assert.equal((await visitor.open('/admin')).status, 403)
      const { text } = await visitor.open(RECORDER)
      assert.match(text, /GET \/admin/)
      assert.match(text, /403 LATCHKEY_FORBIDDEN/)
      assert.match(text, /Failed requirement<\/dt><dd>roles/)
      assert.match(text, /one of &#34;admin&#34;, and the user has &#34;reader&#34;/)
    },
  ],
  [
    'the page and its report hold no code, state, nonce, token, cookie value or client secret of a login',
    async (bench) => {
      const { site, letIn } = await openForDeveloper(bench)
      const visitor = site.visitor()
      const key = await letIn(visitor)
      const begun = await visitor.open('/login')
      const callback = await site.authorize(begun)
      const done = await visitor.open(callback)
      const sent = locationOf(begun).searchParams
      const returned = new URLSearchParams(callback.split('?')[1])
      const secrets = [
        ...['state', 'nonce', 'code_challenge'].map((name) => sent.get(name)),
        returned.get('code'),
        site.provider.clientSecret,
        key,
        ...[...cookiesOf(begun), ...cookiesOf(done)].map(cookieValue),
        // These are the session ids without their signatures.
        ...cookiesOf(done).map((line) => cookieValue(line).split('.')[0]),
      ].filter((secret) => secret && secret.length > 8)
      assert.ok(secrets.length > 6)
      for (const path of [RECORDER, `${RECORDER}?text`]) {
        const { text, status } = await visitor.open(path)
        assert.equal(status, 200)
        for (const secret of secrets) assert.ok(!text.includes(String(secret)), path)
        assert.doesNotMatch(text, /access-|refresh-\d|eyJ[\w-]*\./)
      }
    },
  ],
  [
    'the report leaves out personal claims',
    async (bench) => {
      const { site, letIn } = await openForDeveloper(bench)
      const visitor = await site.user()
      await letIn(visitor)
      const { text, headers } = await visitor.open(`${RECORDER}?text`)
      assert.match(String(headers['content-type']), /^text\/plain/)
      assert.match(text, /The session is stored under a new id/)
      assert.doesNotMatch(text, /ada@example\.com/)
    },
  ],
  [
    'the page may not be framed or read by other sites, runs no script and is not cached',
    async (bench) => {
      const { site, letIn } = await openForDeveloper(bench)
      const visitor = site.visitor()
      await letIn(visitor)
      const { headers } = await visitor.open(RECORDER)
      const policy = String(headers['content-security-policy'])
      assert.match(policy, /frame-ancestors 'none'/)
      assert.match(policy, /default-src 'none'/)
      assert.doesNotMatch(policy, /script-src|unsafe/)
      assert.equal(headers['access-control-allow-origin'], undefined)
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
      assert.match(String(headers['cache-control']), /no-store/)
    },
  ],
  [
    'there is no such page in production, nor where NODE_ENV or the host of baseUrl is not one of development',
    async ({ open }) => {
      for (const environment of ['production', 'staging', 'Production']) {
        await inEnvironment(environment, async () => {
          assertAbsent(await (await open()).visitor().open(RECORDER))
        })
      }
      const site = await open({ options: { baseUrl: 'https://app.example.com' } })
      assertAbsent(await site.visitor().open(RECORDER))
    },
  ],
  [
    'the page opens in a browser that has opened the link in the log, and in no other',
    async (bench) => {
      const { site, letIn } = await openForDeveloper(bench)
      const user = await site.user()
      const refused = await user.open(RECORDER)
      assert.equal(refused.status, 403)
      assert.match(refused.text, /LATCHKEY_DEVELOPMENT_KEY/)
      assert.match(String(refused.headers['cache-control']), /no-store/)
      await letIn(user)
      assert.equal((await user.open(RECORDER)).status, 200)
      assert.equal((await user.post(RECORDER)).status, 404)
      assertRefused(await site.visitor().open(RECORDER))
    },
  ],
  [
    'a wrong key does not open the page, neither in the address nor as a cookie',
    async (bench) => {
      const { site, letIn } = await openForDeveloper(bench)
      const key = await letIn(await site.user())
      const stranger = site.visitor()
      const wrong = [key.slice(1), `${key}A`, `B${key.slice(1)}`, '', '%00', 'undefined']
      for (const given of wrong) {
        const answer = await stranger.open(`${RECORDER}?key=${given}`)
        assertRefused(answer)
        assert.equal(cookiesOf(answer).length, 0)
        const headers = {
          ...PAGE,
          host: 'localhost:3000',
          cookie: `latchkey-development-3000=${given}`,
        }
        assertRefused(await stranger.agent.get(RECORDER).set(headers))
      }
    },
  ],
  [
    'the link of the log leads to the page without the key in its address, and its cookie is for these pages alone',
    async (bench) => {
      const { site, letIn } = await openForDeveloper(bench)
      const key = await letIn(await site.user())
      const answer = await site.visitor().open(`${RECORDER}?key=${key}&text`)
      assert.equal(answer.status, 303)
      assert.equal(pathOf(answer), `${RECORDER}?text=`)
      const [cookie = ''] = cookiesOf(answer)
      assert.match(cookie, /; Path=\/__latchkey; HttpOnly; SameSite=Lax$/)
    },
  ],
]

/**
 * Opens a site and reads its log. `letIn` opens the development link of the log in a browser, and
 * resolves to the key of the link.
 */
export async function openForDeveloper(
  { open }: Bench,
  setup: Setup = {},
): Promise<{ site: Site; letIn(visitor: Visitor): Promise<string> }> {
  const lines: string[] = []
  const write = (line: string): unknown => lines.push(line)
  const logger = { log: write, info: write, warn: write, error: write }
  const site = await besideThis(() => open({ ...setup, options: { logger, ...setup.options } }))
  return {
    site,
    async letIn(visitor) {
      assertRefused(await visitor.open(RECORDER))
      const [, link = '', key = ''] = /(\/__latchkey\?key=([\w-]+))/.exec(lines.join('\n')) ?? []
      assert.equal((await visitor.open(link)).status, 303)
      return key
    },
  }
}

/**
 * Runs a function as if this module were the running program, because the kit looks for development
 * packages next to the program.
 */
async function besideThis<T>(run: () => Promise<T>): Promise<T> {
  const [, program = ''] = process.argv
  process.argv[1] = fileURLToPath(import.meta.url)
  try {
    return await run()
  } finally {
    process.argv[1] = program
  }
}

function assertRefused(answer: Response): void {
  assert.equal(answer.status, 403)
  assert.ok(!answer.text.includes('Redirected to the provider'))
}

function assertAbsent(answer: Response): void {
  assert.equal(answer.status, 404)
  assert.ok(!answer.text.includes('Redirected to the provider'))
}

/** Runs a function with another `NODE_ENV`. The kit reads it when the application is created. */
export async function inEnvironment(name: string, run: () => Promise<void>): Promise<void> {
  // The types of Next.js declare `NODE_ENV` as constant.
  const environment: Record<string, string | undefined> = process.env
  const { NODE_ENV } = environment
  environment.NODE_ENV = name
  try {
    await run()
  } finally {
    if (NODE_ENV === undefined) delete environment.NODE_ENV
    else environment.NODE_ENV = NODE_ENV
  }
}

function cookieValue(line: string): string {
  return decodeURIComponent(line.slice(line.indexOf('=') + 1).split(';')[0] ?? '')
}
