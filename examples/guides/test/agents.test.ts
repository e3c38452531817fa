import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../src/agents.ts'
import { type Running, start } from './support.ts'

let site: Running
beforeAll(async () => {
  site = await start(createApp)
  const { provider } = site
  provider.metadata = {
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  }
  // The provider grants what was asked for, to the resource that was asked for.
  provider.rewrite = (answer, text) => {
    if (answer !== 'code') return text
    const last = (path: string) => provider.requests.findLast((request) => request.path === path)
    const scope = last('/auth')?.query.get('scope')
    const aud = last('/token')?.body.get('resource')
    const { refresh_token: _, ...rest } = JSON.parse(text)
    return JSON.stringify({ ...rest, access_token: provider.accessToken({ aud, scope }), scope })
  }
})
afterAll(() => site.close())

/** The client of an agent; `login` is the address that its user was sent to last. */
function createAgent() {
  const kept: { tokens?: never; verifier?: string; login?: URL } = {}
  const { clientId, clientSecret } = site.provider
  const redirectUrl = 'http://127.0.0.1/callback'
  const authProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], client_name: 'Agent' },
    clientInformation: () => ({ client_id: clientId, client_secret: clientSecret }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens as never
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
    new StreamableHTTPClientTransport(new URL(`${site.url}/mcp`), { authProvider })
  return {
    kept,
    transport,
    /** The user agrees, and the agent redeems the code that comes back. */
    async agree(): Promise<void> {
      const answer = await fetch(kept.login ?? 'nowhere:', { redirect: 'manual' })
      const back = new URL(answer.headers.get('location') ?? 'nowhere:')
      await transport().finishAuth(String(back.searchParams.get('code')))
    },
    async connect(): Promise<Client> {
      const client = new Client({ name: 'agent', version: '1.0.0' })
      await client.connect(transport() as never)
      return client
    },
  }
}

test('an agent of the SDK finds the login from the URL alone, reads, and is stepped up for a tool that writes', async () => {
  const agent = createAgent()
  await expect(agent.connect()).rejects.toThrow('Unauthorized')
  expect(agent.kept.login?.origin).toBe(site.provider.issuer)
  expect(agent.kept.login?.searchParams.get('resource')).toBe(`${site.url}/mcp`)
  expect(agent.kept.login?.searchParams.get('scope')).toBe('notes:read')

  await agent.agree()
  const client = await agent.connect()
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    'read_notes',
    'add_note',
  ])
  const read = (): Promise<unknown> => client.callTool({ name: 'read_notes' })
  expect(JSON.stringify(await read())).toContain('There are no notes.')

  const add = () => client.callTool({ name: 'add_note', arguments: { text: 'Call the bank' } })
  await expect(add()).rejects.toThrow('Unauthorized')
  expect(agent.kept.login?.searchParams.get('scope')).toBe('notes:read notes:write')
  expect(JSON.stringify(await read())).toContain('There are no notes.')

  await agent.agree()
  await add()
  expect(JSON.stringify(await read())).toContain('Call the bank')
  await client.close()
})

test('a tool that writes is refused without its scope, also among several messages of one request', async () => {
  const token = site.provider.accessToken({ aud: `${site.url}/mcp`, scope: 'notes:read' })
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
  const params = { name: 'add_note', arguments: { text: 'x' } }
  for (const body of [{ ...call, params }, [{ ...call, params }]]) {
    const answer = await fetch(`${site.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('www-authenticate')).toContain('scope="notes:read notes:write"')
  }
})
