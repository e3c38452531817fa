import assert from 'node:assert/strict'
import type { Response } from 'supertest'
import { type Case, cookiesOf, locationOf, PAGE, type Visitor } from './bench.ts'

const RECORDER = '/__latchkey'

export const recordings: readonly Case[] = [
  [
    'in development a page shows each step of a login, the cookies and the claims of the ID token',
    async ({ open }) => {
      const site = await open()
      const visitor = await site.user()
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
    async ({ open }) => {
      const site = await open()
      const visitor = site.visitor()
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
    async ({ open }) => {
      const handle = async () => ({ body: 'secret' })
      const site = await open({
        routes: [{ method: 'get', path: '/admin', requirement: { roles: ['admin'] }, handle }],
      })
      const visitor = await site.user()
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
    async ({ open, provider }) => {
      const site = await open()
      const visitor = site.visitor()
      const begun = await visitor.open('/login')
      const callback = await site.authorize(begun)
      const done = await visitor.open(callback)
      const sent = locationOf(begun).searchParams
      const returned = new URLSearchParams(callback.split('?')[1])
      const secrets = [
        ...['state', 'nonce', 'code_challenge'].map((name) => sent.get(name)),
        returned.get('code'),
        provider.clientSecret,
        ...[...cookiesOf(begun), ...cookiesOf(done)].map(cookieValue),
        // The id alone, without its signature.
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
    'the report leaves out what is personal',
    async ({ open }) => {
      const site = await open()
      const visitor = await site.user()
      const { text, headers } = await visitor.open(`${RECORDER}?text`)
      assert.match(String(headers['content-type']), /^text\/plain/)
      assert.match(text, /The session is stored under a new id/)
      assert.doesNotMatch(text, /ada@example\.com/)
    },
  ],
  [
    'the page may not be framed or read by other sites, runs no script and is kept nowhere',
    async ({ open }) => {
      const site = await open()
      const { headers } = await site.visitor().open(RECORDER)
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
    'requests with another host, through a proxy, of a frame or of another origin do not get the page',
    async ({ open }) => {
      const site = await open()
      const visitor = await site.user()
      const refused: Readonly<Record<string, string>>[] = [
        { host: 'evil.example' },
        { host: '127.0.0.1.evil.example:3000' },
        { 'x-forwarded-for': '203.0.113.7' },
        { forwarded: 'for=203.0.113.7' },
        { origin: 'http://localhost:5173' },
        { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
        { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' },
      ]
      for (const headers of refused) assertAbsent(await ask(visitor, headers))
      const linked = { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'document' }
      assert.equal((await ask(visitor, linked)).status, 200)
      assertAbsent(await visitor.post(RECORDER))
    },
  ],
]

async function ask(
  { agent }: Visitor,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return agent.get(RECORDER).set({ ...PAGE, ...headers })
}

function assertAbsent(answer: Response): void {
  assert.equal(answer.status, 404)
  assert.ok(!answer.text.includes('Redirected to the provider'))
}

/** `NODE_ENV` is read when the application is made. */
export async function inEnvironment(name: string, run: () => Promise<void>): Promise<void> {
  // Next.js declares `NODE_ENV` to be constant.
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
