import * as client from 'openid-client'
import type { Metadata } from '../../../src/store/records.ts'
import { ada } from './apis.ts'
import { type Browser, createBrowser, type Page } from './browser.ts'
import type { TestIssuer } from './issuer.ts'

/** The grant of a device. @see RFC 8628 §3.4 */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** A program on a device, with openid-client and without a secret or redirect URL. */
export async function createDevice(
  issuer: TestIssuer,
  metadata: Metadata = { latchkey_client: 'public', latchkey_device_login: 'allowed' },
  name = 'Notes for televisions',
) {
  const application = await issuer.addApplication({ name, redirectUrls: [], metadata })
  const config = await client.discovery(
    new URL(issuer.url),
    application.id,
    undefined,
    metadata.latchkey_client === 'public'
      ? client.None()
      : client.ClientSecretBasic(issuer.secretOf(application)),
    {
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
      [client.customFetch]: issuer.fetch as client.CustomFetch,
    },
  )
  config[client.customFetch] = issuer.fetch as client.CustomFetch
  const begin = (parameters: Record<string, string> = {}) =>
    client.initiateDeviceAuthorization(config, {
      scope: 'openid email offline_access',
      ...parameters,
    })
  /** Asks once for the tokens; the error's code where there are none. */
  async function poll({ device_code }: Begun, more: Record<string, string> = {}) {
    try {
      return await client.genericGrantRequest(config, DEVICE_GRANT, { device_code, ...more })
    } catch (error) {
      return (error as { error?: string }).error ?? String(error)
    }
  }
  const refresh = (token = '') => client.refreshTokenGrant(config, token)
  return { application, config, begin, poll, refresh }
}

export type Device = Awaited<ReturnType<typeof createDevice>>
export type Begun = client.DeviceAuthorizationResponse

/** Enters a code in a browser, and logs Ada in if the page asks for that. */
export async function enterCode(
  issuer: TestIssuer,
  code: string,
  browser: Browser = createBrowser(issuer),
  user: Record<string, string> = ada,
): Promise<Page> {
  const form = await browser.get('/device')
  const page = await browser.submit(form, { user_code: code })
  return page.html.includes('name="password"') ? browser.submit(page, user) : page
}

/** Confirms the login of a device as Ada. */
export async function confirm(
  issuer: TestIssuer,
  begun: Begun,
  answer: 'allow' | 'deny' = 'allow',
  browser: Browser = createBrowser(issuer),
): Promise<Page> {
  return browser.submit(await enterCode(issuer, begun.user_code, browser), { answer })
}
