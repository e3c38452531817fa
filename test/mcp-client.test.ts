import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, test } from 'vitest'
import { createApp } from '../examples/guides/src/agents.ts'
import {
  type Agent,
  refresh,
  startAgent,
  startOpenIssuer,
  trustsAgents,
  webCallback,
} from '../packages/service/test/issuer/support/agent.ts'
import { ada } from '../packages/service/test/issuer/support/apis.ts'
import { createBrowser } from '../packages/service/test/issuer/support/browser.ts'
import type { Fetch, TestIssuer } from '../packages/service/test/issuer/support/issuer.ts'
import { watchServer } from './support/leaks.ts'

trustsAgents()

/** The server of the guide, at an address that is known before its issuer is. */
async function startServer() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  watchServer(server)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    serve(issuer: { url: string; fetch: Fetch }) {
      const session = { secret: 'a session secret of the tests, long enough' }
      const app = createApp({
        ...{ issuer: issuer.url, fetch: issuer.fetch as typeof fetch, baseUrl: url, session },
        ...{ clientId: 'notes', clientSecret: 'unused', logger: false },
      })
      server.on('request', app)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The SDK's client, which knows the URL of the server, and its own metadata document if it has one. */
function createSdkClient(issuer: TestIssuer, agent: Agent | undefined, server: string) {
  const kept: Record<string, unknown> & { login?: URL } = {}
  const authProvider = {
    redirectUrl: webCallback,
    clientMetadata: {
      redirect_uris: [webCallback],
      grant_types: ['authorization_code', 'refresh_token'],
    },
    ...(agent && { clientMetadataUrl: agent.id }),
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url: URL) => {
      kept.login = url
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => String(kept.verifier),
  }
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${server}/mcp`), {
      authProvider: authProvider as never,
      fetch: issuer.fetch as never,
    })
  const browser = createBrowser(issuer)
  return {
    kept,
    browser,
    /** Opens the address that the client sent its user to, and allows what the page asks for. */
    async agree(): Promise<string> {
      let page = await browser.get(kept.login?.href ?? '')
      if (page.html.includes('name="password"')) page = await browser.submit(page, ada)
      const { location = '' } = await browser.submit(page, { answer: 'allow' })
      await transport().finishAuth(new URL(location).searchParams.get('code') ?? '')
      return page.html
    },
    async connect(): Promise<Client> {
      const client = new Client({ name: 'agent', version: '1.0.0' })
      await client.connect(transport() as never)
      return client
    },
  }
}

test("the MCP SDK's client connects from the URL alone, is stepped up with consent, and is withdrawn", async () => {
  await using agent = await startAgent()
  await using server = await startServer()
  await using issuer = await startOpenIssuer(
    {},
    { latchkey_client_documents: 'any' },
    `${server.url}/mcp`,
  )
  server.serve(issuer)
  const sdk = createSdkClient(issuer, agent, server.url)
  await expect(sdk.connect()).rejects.toThrow('Unauthorized')
  expect(sdk.kept.login?.searchParams.get('client_id')).toBe(agent.id)
  const first = await sdk.agree()
  expect(first).toContain('Read your notes')
  expect(first).not.toContain('Change your notes')

  const client = await sdk.connect()
  const read = async () => JSON.stringify(await client.callTool({ name: 'read_notes' }))
  expect(await read()).toContain('There are no notes.')
  const add = () => client.callTool({ name: 'add_note', arguments: { text: 'Call the bank' } })
  // With a refresh token, this version of the SDK refreshes where it should ask for more, and gives up.
  const { refresh_token: _, ...withoutRefresh } = sdk.kept.tokens as { refresh_token?: string }
  sdk.kept.tokens = withoutRefresh
  await expect(add()).rejects.toThrow('Unauthorized')
  expect(await sdk.agree()).toContain('Change your notes')
  await add()
  expect(await read()).toContain('Call the bank')
  await client.close()

  const { refresh_token: issued } = sdk.kept.tokens as { refresh_token?: string }
  const { body } = await refresh(issuer, agent.id, issued)
  expect(body.scope).toBe('notes:read notes:write')
  const page = await sdk.browser.get('/account/access')
  const id = /name="withdraw" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
  await sdk.browser.submit(page, { withdraw: id })
  expect((await refresh(issuer, agent.id, body.refresh_token)).body.error).toBe('invalid_grant')
  expect(issuer.problems).toEqual([])
})

test("the MCP SDK's client without a metadata document registers itself, from the URL alone to a called tool", async () => {
  await using server = await startServer()
  await using issuer = await startOpenIssuer(
    {},
    { latchkey_client_documents: 'any', latchkey_client_registration: 'true' },
    `${server.url}/mcp`,
  )
  server.serve(issuer)
  const sdk = createSdkClient(issuer, undefined, server.url)
  await expect(sdk.connect()).rejects.toThrow('Unauthorized')
  const { client_id: id } = sdk.kept.client as { client_id: string }
  expect(sdk.kept.login?.searchParams.get('client_id')).toBe(id)
  const page = await sdk.agree()
  expect(page).toContain('agent.example')
  expect(page).toContain('Read your notes')
  const client = await sdk.connect()
  const read = JSON.stringify(await client.callTool({ name: 'read_notes' }))
  expect(read).toContain('There are no notes.')
  await client.close()
  const { refresh_token: token } = sdk.kept.tokens as { refresh_token?: string }
  expect((await refresh(issuer, id, token)).body.scope).toBe('notes:read')
  expect(issuer.problems).toEqual([])
})
