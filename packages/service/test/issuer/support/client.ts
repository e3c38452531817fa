import * as client from 'openid-client'
import type { Application } from '../../../src/store/records.ts'
import { type Browser, createBrowser, type Page } from './browser.ts'
import { applicationUrl, type TestIssuer } from './issuer.ts'

/** The test application as an OpenID client, with a library that nobody here wrote. */
export async function createClient(
  issuer: Pick<TestIssuer, 'url' | 'fetch' | 'secretOf' | 'application'>,
  application: Application = issuer.application,
) {
  const config = await client.discovery(
    new URL(issuer.url),
    application.id,
    undefined,
    client.ClientSecretBasic(issuer.secretOf(application)),
    {
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
      [client.customFetch]: issuer.fetch as client.CustomFetch,
    },
  )
  config[client.customFetch] = issuer.fetch as client.CustomFetch
  const redirectUri = application.redirectUrls[0] ?? `${applicationUrl}/callback`

  /** Begins a login: where to send the browser, and what to check the answer against. */
  async function begin(parameters: Record<string, string> = {}) {
    const codeVerifier = client.randomPKCECodeVerifier()
    const expected = { pkceCodeVerifier: codeVerifier, expectedState: client.randomState() }
    const nonce = client.randomNonce()
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state: expected.expectedState,
      nonce,
      ...parameters,
    })
    return { url: url.href, checks: { ...expected, expectedNonce: nonce, idTokenExpected: true } }
  }

  type Begun = Awaited<ReturnType<typeof begin>>

  /** Redeems the code that a redirect to the application carries. */
  function redeem(begun: Begun, callback: Page) {
    return client.authorizationCodeGrant(config, new URL(callback.location ?? ''), begun.checks)
  }

  const refresh = (token: string) => client.refreshTokenGrant(config, token)

  return { config, begin, redeem, refresh, redirectUri }
}

export type Client = Awaited<ReturnType<typeof createClient>>

/** Logs in with a password in a new browser, up to the redirect to the application. */
export async function logIn(
  issuer: Pick<TestIssuer, 'url' | 'fetch'>,
  app: Client,
  credentials: { email: string; password: string },
  browser: Browser = createBrowser(issuer),
  parameters: Record<string, string> = {},
) {
  const begun = await app.begin(parameters)
  const form = await browser.get(begun.url)
  const callback = await browser.submit(form, credentials)
  return { begun, callback, browser }
}
