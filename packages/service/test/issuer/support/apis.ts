import * as client from 'openid-client'
import type { Metadata } from '../../../src/store/records.ts'
import { createBrowser } from './browser.ts'
import { type Client, createClient } from './client.ts'
import type { TestIssuer } from './issuer.ts'

export const ada = { email: 'ada@example.com', password: 'correct horse battery' }
/** The API of notes. */
export const notes = 'https://notes.example/api'
export const prices = 'urn:example:prices'

/** The metadata of an application that offers the API of notes. */
export const owner = {
  latchkey_api: notes,
  latchkey_api_scopes: JSON.stringify({
    'notes:read': 'Read your notes',
    'notes:write': 'Change your notes',
  }),
}

/** An application that offers an API. */
export const addOwner = (issuer: TestIssuer, metadata: Metadata = owner) =>
  issuer.addApplication({ name: 'Notes', metadata })

/** An application that may call these APIs. */
export async function createCaller(
  issuer: TestIssuer,
  resources: string | object,
  more: Metadata = {},
): Promise<Client> {
  const text = typeof resources === 'string' ? resources : JSON.stringify(resources)
  const metadata = { latchkey_resources: text, ...more }
  return createClient(issuer, await issuer.addApplication({ metadata }))
}

/** The answer to a request for a login that the user completes, if it is not refused. */
export async function answerTo(
  issuer: TestIssuer,
  app: Client,
  scope: string,
  asked: readonly string[] = [notes],
) {
  const begun = await app.begin({ scope })
  const url = new URL(begun.url)
  for (const one of asked) url.searchParams.append('resource', one)
  const browser = createBrowser(issuer)
  const page = await browser.get(url.href)
  const { location = '' } = page.location ? page : await browser.submit(page, ada)
  return { begun, callback: new URL(location) }
}

/** The tokens of a login for APIs. */
export async function tokensFor(
  issuer: TestIssuer,
  app: Client,
  scope: string,
  asked: readonly string[] = [notes],
  resource = asked[0] ?? '',
) {
  const { begun, callback } = await answerTo(issuer, app, scope, asked)
  return client.authorizationCodeGrant(app.config, callback, begun.checks, { resource })
}

/** The claims of a JWT. */
export function claimsOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}
