import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type AuthOptions, requireUser } from '@latchkey/express'
import {
  type MisbehavingProviderOptions,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import { expect, test, vi } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

const path = '/.well-known/openid-configuration'

function start(
  options: AuthOptions = {},
  provider: MisbehavingProviderOptions = {},
): Promise<Site> {
  return startSite(
    (app) => {
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? 'in' : 'out')
      })
      app.get('/private', requireUser({ respond: 'redirect' }), (_req, res) => {
        res.send('private')
      })
    },
    options,
    undefined,
    provider,
  )
}

/** The text of the page that a login ends on. */
async function logIn(site: Site): Promise<string> {
  const browser = createBrowser()
  const { text } = await browser.open(`${site.url}/login`)
  return text
}

/** The endpoints of a provider, as its document names them. */
function endpointsOf(issuer: string): Record<string, string> {
  return {
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  }
}

/** Where nothing listens. */
const NOWHERE = 'http://127.0.0.1:9'

test('discoveryUrl is where the document is asked for, and nowhere else', async () => {
  await using elsewhere = await startMisbehavingProvider()
  const { url } = elsewhere
  const issuer = `${NOWHERE}/tenant`
  elsewhere.metadata = { issuer }
  await using site = await start({ issuer, discoveryUrl: `${url}${path}?p=policy` })

  const begun = await createBrowser().send(`${site.url}/login`)

  expect(begun.headers.get('location')).toMatch(`${url}/auth?`)
  expect(elsewhere.count(path)).toBe(1)
  expect(elsewhere.requests[0]?.query.get('p')).toBe('policy')
})

test('a document at discoveryUrl that names another issuer is refused', async () => {
  await using site = await start()
  site.provider.metadata = { issuer: 'https://other.example' }
  await using other = await start({
    issuer: site.provider.issuer,
    discoveryUrl: `${site.provider.url}${path}`,
  })

  expect(await logIn(other)).toContain('LATCHKEY_PROVIDER_INVALID')
  expect(other.log.at(-1)?.message).toContain('set issuer: "https://other.example"')
})

test.each(['', '/'])(
  'a full metadata needs no discovery document, whether the issuer ends in "%s"',
  async (end) => {
    const origin = 'https://login.example'
    await using site = await start({ metadata: endpointsOf(origin) }, { issuer: `${origin}${end}` })

    const { text } = await createBrowser({ [origin]: site.provider.url }).open(`${site.url}/login`)

    expect(text).toBe('in')
    expect(site.provider.count(path)).toBe(0)
  },
)

test('a full metadata may be the whole document of the provider, issuer included', async () => {
  await using first = await startMisbehavingProvider()
  const { issuer } = first
  await using site = await start({ issuer, metadata: { issuer, ...endpointsOf(issuer) } })

  const begun = await createBrowser().send(`${site.url}/login`)

  expect(begun.headers.get('location')).toMatch(`${issuer}/auth?`)
  expect(first.count(path)).toBe(0)
})

test('discoveryUrl beside a full metadata: the document is read, and its members are replaced', async () => {
  await using first = await startMisbehavingProvider()
  const { issuer } = first
  await using site = await start({
    issuer,
    discoveryUrl: `${issuer}${path}`,
    metadata: { ...endpointsOf(issuer), authorization_endpoint: 'https://front.test/auth' },
  })

  const begun = await createBrowser().send(`${site.url}/login`)

  expect(begun.headers.get('location')).toMatch('https://front.test/auth?')
  expect(first.count(path)).toBe(1)
})

test('the message about an issuer that the document does not name has options that work as they are', async () => {
  await using found = await startMisbehavingProvider()
  found.metadata = { issuer: NOWHERE }
  const { url } = found
  await using site = await start({ issuer: url })

  await logIn(site)

  const { message = '' } = site.log.at(-1) ?? {}
  expect(message).toContain(`set issuer: "${NOWHERE}" and discoveryUrl: "${url}${path}".`)
  await using after = await start({ issuer: NOWHERE, discoveryUrl: `${url}${path}` })
  const begun = await createBrowser().send(`${after.url}/login`)
  expect(begun.headers.get('location')).toMatch(`${url}/auth?`)
})

test('the message about a slash too many names the issuer alone', async () => {
  await using site = await start({}, { issuer: 'https://login.example/realm' })
  await using slashed = await start({
    issuer: 'https://login.example/realm/',
    fetch: site.provider.fetch,
  })

  await logIn(slashed)

  const { message } = slashed.log.at(-1) ?? {}
  expect(message).toContain('set issuer: "https://login.example/realm".')
})

test('the message about a missing document has its address, and both other ways', async () => {
  await using provider = await startMisbehavingProvider()
  await using site = await start({ issuer: `${provider.url}/nothing-here` })

  await logIn(site)

  const { message, facts } = site.log.at(-1) ?? {}
  expect(message).toContain(`${provider.url}/nothing-here${path} (it answers with status 404)`)
  expect(facts?.remedy).toContain('set "discoveryUrl"')
  expect(facts?.remedy).toContain('"authorization_endpoint", "token_endpoint" and "jwks_uri"')
})

test('a process loads neither openid-client nor expensive parts of Node until the first redirect was answered', async () => {
  await using provider = await startMisbehavingProvider()
  const script = fileURLToPath(new URL('support/loaded-modules.ts', import.meta.url))
  const child = fork(script, [provider.url], { execArgv: ['--conditions=latchkey-source'] })
  const answer = async <T>(): Promise<T> => ((await once(child, 'message')) as [T])[0]
  const loaded = (): Promise<string[]> => {
    child.send('?')
    return answer()
  }
  try {
    const port = await answer<number>()
    await vi.waitFor(() => expect(provider.count(path)).toBe(1))
    expect(await loaded()).toEqual([])

    const { headers } = await createBrowser().send(`http://127.0.0.1:${port}/login`)

    expect(headers.get('location')).toMatch(`${provider.url}/auth?`)
    await vi.waitFor(async () => expect(await loaded()).toContain('openid-client'))
    expect(provider.count(path)).toBe(1)
  } finally {
    child.kill()
  }
})
