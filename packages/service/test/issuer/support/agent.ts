import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll } from 'vitest'
import { selfSigned } from '../../../../../test/support/certificate.ts'
import type { Metadata } from '../../../src/store/records.ts'
import { ada, addOwner, notes, owner } from './apis.ts'
import { type Browser, createBrowser, type Page } from './browser.ts'
import { movesTheClock, type StartOptions, startIssuer, type TestIssuer } from './issuer.ts'

const certificate = await selfSigned('agent.localhost', 'other.localhost', 'localhost')

/** Lets this process trust the hosts of {@link startAgent}. Others do not, so the cluster of the file is in this one. */
export function trustsAgents(): void {
  movesTheClock()
  const trusted = getCACertificates('default')
  beforeAll(() => setDefaultCACertificates([...trusted, certificate.cert]))
  afterAll(() => setDefaultCACertificates(trusted))
}

/** The callback of an agent on the web. */
export const webCallback = 'https://agent.example/callback'

/** The host of an agent, which publishes its metadata document. */
export async function startAgent(more: object = {}) {
  const agent = {
    /** The paths that were asked for. */
    reads: [] as string[],
    url: '',
    /** The `client_id`. */
    id: '',
    document: {} as Record<string, unknown>,
    answer: undefined as ((request: IncomingMessage, response: ServerResponse) => void) | undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createServer(certificate, (request, response) => {
    agent.reads.push(request.url ?? '')
    if (agent.answer) return agent.answer(request, response)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(agent.document))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  agent.url = `https://agent.localhost:${(server.address() as AddressInfo).port}`
  agent.id = `${agent.url}/client.json`
  agent.document = {
    client_id: agent.id,
    client_name: 'Note Taker',
    redirect_uris: [webCallback],
    token_endpoint_auth_method: 'none',
    ...more,
  }
  return agent
}

export type Agent = Awaited<ReturnType<typeof startAgent>>

/** An issuer with Ada and the API of notes, open to clients with a metadata document. */
export async function startOpenIssuer(
  options: StartOptions = {},
  metadata: Metadata = { latchkey_client_documents: 'any' },
  identifier = notes,
) {
  const issuer = await startIssuer(options)
  await issuer.changeSettings({}, metadata)
  const user = await issuer.addUser(ada)
  const api = await addOwner(issuer, {
    ...{ ...owner, latchkey_api: identifier },
    latchkey_api_clients: 'documents',
  })
  return Object.assign(issuer, { user, api })
}

/** Registers a client, with the callback of an agent on the web. */
export async function register(issuer: TestIssuer, more: object = {}) {
  const response = await issuer.fetch(`${issuer.url}/oidc/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [webCallback], ...more }),
  })
  const { status, headers } = response
  const text = await response.text()
  if (status >= 500) throw new Error(`The registration failed with ${status}: ${text}`)
  const isJson = headers.get('content-type')?.includes('json')
  return { status, headers, body: (isJson ? JSON.parse(text) : {}) as Record<string, unknown> }
}

/** The authorization request of an agent. */
export function ask(
  issuer: TestIssuer,
  clientId: string,
  parameters: Record<string, string | undefined> = {},
) {
  const verifier = randomBytes(32).toString('base64url')
  const asked = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: webCallback,
    scope: 'notes:read',
    resource: notes,
    state: 'some state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters,
  }
  const known = Object.entries(asked).filter((one): one is [string, string] => one[1] !== undefined)
  const url = `${issuer.url}/oidc/auth?${new URLSearchParams(known)}`
  return { url, verifier, clientId, redirectUri: asked.redirect_uri ?? webCallback }
}

type Asked = ReturnType<typeof ask>

/** Opens a request in a browser, and logs Ada in if its page asks for that. */
export async function open(
  issuer: TestIssuer,
  { url }: Asked,
  browser: Browser = createBrowser(issuer),
): Promise<Page> {
  const page = await browser.get(url)
  return page.html.includes('name="password"') ? browser.submit(page, ada) : page
}

/** The link on an error page that leads on to a host. */
export function linkOn({ html }: Page, host: string): string | undefined {
  const link = /href="([^"]+)">Continue to ([^<]+)/.exec(html)
  return link?.[2] === host ? link[1]?.replaceAll('&amp;', '&') : undefined
}

/** Sends the form of a consent page. */
export async function consent(
  browser: Browser,
  page: Page,
  answer: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const { location = '' } = await browser.submit(page, { answer })
  return new URL(location)
}

/** A request at the token endpoint. */
export async function tokenRequest(issuer: TestIssuer, fields: Record<string, string>) {
  const response = await issuer.fetch(`${issuer.url}/oidc/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })
  const { status, headers } = response
  return { status, headers, body: (await response.json()) as Record<string, string> }
}

/** Redeems the code of a callback. */
export function redeem(
  issuer: TestIssuer,
  { clientId, verifier, redirectUri }: Asked,
  callback: URL,
  more: Record<string, string> = {},
) {
  return tokenRequest(issuer, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: callback.searchParams.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: redirectUri,
    ...more,
  })
}

/** Refreshes the tokens of an agent. */
export function refresh(
  issuer: TestIssuer,
  clientId: string,
  token: string | undefined,
  more: Record<string, string> = {},
) {
  return tokenRequest(issuer, {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: token ?? '',
    ...more,
  })
}

/** Connects an agent with the consent of Ada: its tokens, and the browser that she used. */
export async function connect(
  issuer: TestIssuer,
  clientId: string,
  parameters: Record<string, string | undefined> = {},
  browser: Browser = createBrowser(issuer),
) {
  const asked = ask(issuer, clientId, parameters)
  const callback = await consent(browser, await open(issuer, asked, browser))
  return { browser, tokens: (await redeem(issuer, asked, callback)).body }
}
