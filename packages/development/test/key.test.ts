import { type Auth, createAuth } from '@latchkey/core'
import * as development from '@latchkey/development'
import { expect, test } from 'vitest'

const OPTIONS = {
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'a secret of tests that protects nothing',
  baseUrl: 'http://localhost:3000',
  session: { secret: 'another secret of tests that protects nothing' },
  logger: false,
} as const

const ask = (auth: Auth, url: string, cookie = ''): Promise<Response> =>
  auth.fetch(
    new Request(url, { headers: { cookie } }),
    () => new Response('the application’s', { status: 404 }),
  )
const KEY = 'a-key_of-tests-1'
const environment = { LATCHKEY_DEVELOPMENT_KEY: KEY }
const PAGE = 'http://localhost:3000/__latchkey'
const find = (name: string) => (name === '@latchkey/development' ? () => development : undefined)

test('the key of the environment opens the flight recorder, and the cookie of one port opens no other', async () => {
  const auth = createAuth(OPTIONS, { environment, find })
  const entered = await ask(auth, `${PAGE}?key=${KEY}`)
  const [pair] = entered.headers.getSetCookie().map((line) => line.split(';')[0])
  expect((await ask(auth, PAGE, pair)).status).toBe(200)
  const beside = createAuth({ ...OPTIONS, baseUrl: 'http://localhost:3001' }, { environment, find })
  expect((await ask(beside, 'http://localhost:3001/__latchkey', pair)).status).toBe(403)
})

test('without a key in the environment, the development key depends only on the session secret', async () => {
  const linkOf = async (secret: string): Promise<string> => {
    const lines: string[] = []
    const write = (line: string): unknown => lines.push(line)
    const logger = { log: write, info: write, warn: write, error: write }
    const auth = createAuth({ ...OPTIONS, logger, session: { secret } }, { environment: {}, find })
    await ask(auth, PAGE)
    return /http:\S+key=\S+/.exec(lines.join())?.[0] ?? ''
  }
  const [first, again, other] = [
    await linkOf('a'.repeat(32)),
    await linkOf('a'.repeat(32)),
    await linkOf('b'.repeat(32)),
  ]
  expect(first).toMatch(/\/__latchkey\?key=[\w-]{43}$/)
  expect(again).toBe(first)
  expect(other).not.toBe(first)
})

test('with the base URL alone, the link is another one after each start, unless a secret or a key is in the environment', async () => {
  const linkOf = async (more: Record<string, string> = {}): Promise<string> => {
    const lines: string[] = []
    const write = (line: string): unknown => lines.push(line)
    const logger = { log: write, info: write, warn: write, error: write }
    const withPersonas = (name: string) =>
      name === '@latchkey/testing/personas' ? () => ({}) : find(name)
    const { baseUrl } = OPTIONS
    const platform = { environment: more, find: withPersonas }
    await ask(createAuth({ baseUrl, logger }, platform), PAGE)
    return /http:\S+key=\S+/.exec(lines.join())?.[0] ?? ''
  }
  const first = await linkOf()
  expect(first).toContain('/__latchkey?key=')
  expect(await linkOf()).not.toBe(first)
  for (const kept of [{ LATCHKEY_SESSION_SECRET: 'a'.repeat(32) }, environment]) {
    expect(await linkOf(kept)).toBe(await linkOf(kept))
  }
})

test.each(['short', 'a key with spaces in it', 'a-key-with-a-slash/in-it'])(
  'the key "%s" of the environment is refused',
  (key) => {
    const made = (): unknown =>
      createAuth(OPTIONS, { environment: { LATCHKEY_DEVELOPMENT_KEY: key }, find })
    expect(made).toThrow('LATCHKEY_DEVELOPMENT_KEY" must have 16 characters or more')
  },
)

test('in production, a development key in the environment has no effect', async () => {
  const auth = createAuth(OPTIONS, {
    environment: { ...environment, NODE_ENV: 'production' },
    find,
  })
  expect((await ask(auth, `${PAGE}?key=${KEY}`)).status).toBe(404)
})

test.each([
  [['https://localhost:3000', 'https://app.localhost'], 303],
  [['https://localhost:3000', 'https://app.example.com'], 404],
])(
  'with base URLs %j, the flight recorder is available only if all are on loopback: %s',
  async (baseUrl, status) => {
    const auth = createAuth({ ...OPTIONS, baseUrl }, { environment, find })
    expect((await ask(auth, `https://localhost:3000/__latchkey?key=${KEY}`)).status).toBe(status)
  },
)

test('if the environment cannot be read, there is no flight recorder', async () => {
  const auth = createAuth(OPTIONS, { publish: () => {}, find })
  expect((await ask(auth, `${PAGE}?key=${KEY}`)).status).toBe(404)
})

test('without the package, the address of the flight recorder says how to install it, and so does the log', async () => {
  const lines: string[] = []
  const write = (line: string): unknown => lines.push(line)
  const logger = { log: write, info: write, warn: write, error: write }
  const auth = createAuth({ ...OPTIONS, logger }, { environment, find: () => undefined })
  for (let time = 0; time < 2; time++) {
    const answer = await ask(auth, `${PAGE}?key=${KEY}`)
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('npm install --save-dev @latchkey/development')
  }
  expect(lines.filter((line) => line.includes('npm install'))).toHaveLength(1)
  expect(lines.join()).not.toContain(KEY)
})

test('in production, the package is not looked for', () => {
  const looked: string[] = []
  const platform = {
    environment: { NODE_ENV: 'production' },
    find: (name: string) => void looked.push(name),
  }
  createAuth(OPTIONS, platform)
  expect(looked).toEqual([])
})
