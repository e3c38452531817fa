import { describe, expect, test } from 'vitest'
import { callbackPathOf } from '../../src/domain/connections/callback-paths.ts'
import type { ConnectionInput } from '../../src/domain/connections/connections.ts'
import { findUser, listUsers } from '../../src/domain/users/users.ts'
import { sentenceIn } from '../../src/domain/writes/reasons/index.ts'
import { createBrowser } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { hasCode, mailedCode } from './support/factors.ts'
import { startGithub } from './support/github.ts'
import { instantPasswords } from './support/instant-passwords.ts'
import { type StartOptions, startIssuer, storeKinds } from './support/issuer.ts'
import { answerOf, connect, noteOf } from './support/social.ts'

// Logins at GitHub, which is no OpenID provider: its users are read from its API.

const address = 'octocat@example.com'

async function startWithGithub(options: StartOptions = {}, input: Partial<ConnectionInput> = {}) {
  await using all = new AsyncDisposableStack()
  const warnings: object[] = []
  const note = (facts: object) => void warnings.push(facts)
  const logger = { debug: () => {}, warn: note, error: note }
  const settings = { allowSocial: true }
  const issuer = all.use(
    await startIssuer({ passwords: instantPasswords, logger, settings, ...options }),
  )
  const github = all.use(await startGithub())
  const connection = await connect(issuer, github, {
    recipe: 'github',
    name: 'GitHub',
    trustEmail: true,
    ...input,
  })
  const app = await createClient(issuer)
  const owned = all.move()
  return {
    issuer,
    github,
    connection,
    warnings,
    async logIn(parameters: Record<string, string> = {}) {
      const browser = createBrowser(issuer)
      const begun = await app.begin(parameters)
      const form = await browser.get(begun.url)
      const sent = await browser.submit(form, { connection: connection.id })
      const page = await browser.get(await answerOf(sent))
      const claims = async () => (await app.redeem(begun, page)).claims()
      return { browser, page, claims, sent }
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  }
}

describe.each(storeKinds)('on %s', (store) => {
  test('a visitor gets an account by the number of the account there and its verified primary address', async () => {
    await using world = await startWithGithub({ store })
    const { issuer, github } = world

    const { claims } = await world.logIn()

    expect(await claims()).toMatchObject({ email: address, email_verified: true, amr: ['fed'] })
    const user = await findUser(issuer.scope, address)
    expect(user).toMatchObject({ profile: { name: 'The Octocat' } })
    const sent = github.state.authorization
    expect(sent?.get('scope')).toBe('user:email')
    expect(sent?.get('code_challenge_method')).toBe('S256')
    expect(sent?.get('redirect_uri')).toBe(`${issuer.url}${callbackPathOf(world.connection)}`)
    expect(world.warnings).toEqual([])
  })

  test('an account stays the same with another login name and address, and another account of its old name is another user', async () => {
    await using world = await startWithGithub({ store })
    const { issuer, github } = world
    const first = await (await world.logIn()).claims()

    const emails = [{ email: 'new@example.com', primary: true, verified: true, visibility: null }]
    github.state.account = { ...github.state.account, login: 'renamed', emails }
    const renamed = await (await world.logIn()).claims()
    github.state.account = { id: 99, login: 'octocat', name: null, emails }
    const other = await (await world.logIn()).claims()

    expect(renamed?.sub).toBe(first?.sub)
    expect(other?.sub).not.toBe(first?.sub)
    expect((await listUsers(issuer.scope, { after: undefined, limit: 9 })).items).toHaveLength(2)
  })

  test('without trust in its addresses, a code goes to the address first', async () => {
    await using world = await startWithGithub({ store }, { trustEmail: false })

    const { page, browser } = await world.logIn()
    expect(hasCode(page)).toBe(false)
    const sent = await browser.submit(page, { step: 'send' })
    const done = await browser.submit(sent, { code: await mailedCode(world.issuer) })

    expect(hasCode(done)).toBe(true)
  })
})

test.each([
  ['is not verified', [{ email: address, primary: true, verified: false, visibility: null }]],
  [
    'is not the primary one',
    [{ email: address, primary: false, verified: true, visibility: null }],
  ],
  [
    'is "verified" by a text',
    [{ email: address, primary: true, verified: 'true', visibility: null }],
  ],
  ['is missing', []],
])('an address that %s is no address', async (_, emails) => {
  await using world = await startWithGithub()
  world.github.state.account.emails = emails as never
  const { page } = await world.logIn()
  expect(noteOf(page)).toContain('GitHub has not told us your email address')
  expect(await findUser(world.issuer.scope, address)).toBeUndefined()
})

test.each([undefined, null, '583231', 0, -1, 1.5, 2 ** 53])(
  'an account with the id %o is refused',
  async (id) => {
    await using world = await startWithGithub()
    world.github.state.account.id = id
    const { page } = await world.logIn()
    expect(noteOf(page)).toContain('The login at GitHub did not work')
    expect(world.warnings).toMatchObject([{ reason: '"id" is not a number.' }])
  },
)

test.each([
  [403, 'The login at GitHub did not work', /GET \/user(\/emails)? with 403/],
  [404, 'The login at GitHub did not work', /GET \/user(\/emails)? with 404/],
  [503, 'We could not reach GitHub', /503/],
])('an API that answers %i ends the login with a sentence', async (status, said, reason) => {
  await using world = await startWithGithub()
  world.github.state.apiStatus = status
  const { page } = await world.logIn()
  expect(noteOf(page)).toContain(said)
  expect(world.warnings).toMatchObject([{ reason: expect.stringMatching(reason) }])
})

test('an error of the token endpoint with status 200 is named in the log, without a secret', async () => {
  await using world = await startWithGithub({}, { secret: 'another secret' })
  const { page } = await world.logIn()
  expect(noteOf(page)).toContain('The login at GitHub did not work')
  expect(world.warnings).toMatchObject([{ error: 'incorrect_client_credentials' }])
  expect(JSON.stringify(world.warnings)).not.toContain('another secret')
})

test('a user who declines at GitHub is told so', async () => {
  await using world = await startWithGithub()
  world.github.state.denies = true
  const { page } = await world.logIn()
  expect(page.html).toContain('name="password"')
  expect(world.warnings).toMatchObject([{ problem: 'denied', error: 'access_denied' }])
})

test('a code of another browser is refused, and GitHub is not asked', async () => {
  await using world = await startWithGithub()
  const { sent } = await world.logIn()
  const before = world.github.state.requests.length
  const stolen = await answerOf(sent)
  const page = await createBrowser(world.issuer).get(stolen)
  expect(hasCode(page)).toBe(false)
  expect(world.github.state.requests.slice(before)).toEqual(['GET /login/oauth/authorize'])
})

test('a request for a recent login is refused, as GitHub does not say when it asked its user', async () => {
  await using world = await startWithGithub()
  await world.logIn()
  const { page } = await world.logIn({ prompt: 'login' })
  expect(noteOf(page)).toContain('GitHub does not say that it asked you to log in just now')
  expect(world.github.state.authorization?.get('prompt')).toBe('select_account')
})

/** An answer with the sentences of its reasons. */
function inEnglish(answer: object): object {
  return JSON.parse(JSON.stringify(answer), (_, value) =>
    value?.reason && value.values ? sentenceIn('en', value) : value,
  )
}

test('the console asks GitHub whether it knows the client id and the secret', async () => {
  await using world = await startWithGithub()
  const { issuer, connection, github } = world
  expect(inEnglish(await issuer.support.contact(connection))).toEqual({
    kind: 'answered',
    facts: [
      'It knows the client id and the client secret.',
      `Users log in at ${github.issuer}/login/oauth/authorize.`,
    ],
    warnings: [],
  })
  const wrong = await connect(issuer, github, { recipe: 'github', name: 'Wrong', secret: 'wrong' })
  expect(inEnglish(await issuer.support.contact(wrong))).toMatchObject({
    warnings: ['It does not know the client id, or has another client secret for it.'],
  })
  const nowhere = { ...github, issuer: issuer.url }
  const other = await connect(issuer, nowhere, { recipe: 'github', name: 'Nowhere' })
  expect(await issuer.support.contact(other)).toMatchObject({ kind: 'failed' })
})

test('a connection to GitHub needs its scope of addresses, and an issuer without a path', async () => {
  await using issuer = await startIssuer()
  const provider = { issuer: 'https://github.com', clientId: 'a', clientSecret: 'b' }
  const add = (input: Partial<ConnectionInput>) =>
    connect(issuer, provider, { recipe: 'github', ...input })
  expect(await add({})).toMatchObject({ issuer: 'https://github.com', scopes: ['user:email'] })
  await expect(add({ scopes: ['openid'] })).rejects.toThrow('"scopes" must hold "user:email"')
  await expect(add({ issuer: 'https://github.example.com/api' })).rejects.toThrow('without a path')
})
