import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  allowAccess,
  type McpExample,
  startCallback,
  startMcpExample,
} from '../../../test/support/agents.ts'
import { launchChromium } from '../../../test/support/chromium.ts'

let browser: Browser
let started: McpExample
let callback: Awaited<ReturnType<typeof startCallback>>
beforeAll(async () => {
  browser = await launchChromium()
  callback = await startCallback()
  started = await startMcpExample()
})
afterAll(async () => {
  await browser?.close()
  await started?.[Symbol.asyncDispose]()
  await callback?.[Symbol.asyncDispose]()
})

/** An agent on the current SDK: it knows the URL of the server and its own metadata document. */
function createAgent(page: Page) {
  const kept: Record<string, unknown> = {}
  const consents: string[] = []
  let answered: Promise<URLSearchParams> | undefined
  const authProvider = {
    redirectUrl: callback.url,
    clientMetadataUrl: started.publish('Note Taker', [callback.url]),
    clientMetadata: { redirect_uris: [callback.url], grant_types: ['authorization_code'] },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => String(kept.verifier),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery: unknown) => {
      kept.discovery = discovery
    },
    invalidateCredentials: () => {
      delete kept.tokens
    },
    async redirectToAuthorization(url: URL) {
      answered = callback.next()
      consents.push(await allowAccess(page, url.href))
    },
  }
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(started.url), { authProvider: authProvider as never })
  return {
    kept,
    /** The texts of the consent pages. */
    consents,
    async connect(): Promise<Client> {
      const client = new Client({ name: 'agent', version: '1.0.0' })
      await client.connect(transport())
      return client
    },
    /** Redeems the code that the user came back with. */
    async finish(): Promise<void> {
      await transport().finishAuth((await answered) as URLSearchParams)
    },
  }
}

test('a user and their agent share the notes, from the URL alone to the withdrawal', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const agent = createAgent(page)

  await expect(agent.connect()).rejects.toThrow('Unauthorized')
  await agent.finish()
  expect(agent.consents).toHaveLength(1)
  expect(agent.consents[0]).toContain('Read your notes')
  expect(agent.consents[0]).not.toContain('Add notes')

  // The page, where the user is logged in by now, and what the agent reads of it.
  await page.goto(`${started.example.application}/notes`)
  await page.getByLabel('A new note').fill('Call the <b>bank</b>')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('by you').waitFor()
  const client = await agent.connect()
  expect(JSON.stringify(await client.callTool({ name: 'read_notes' }))).toContain(
    'Call the <b>bank</b>',
  )

  // The second scope is asked for when the tool needs it.
  const add = () => client.callTool({ name: 'add_note', arguments: { text: 'Buy milk' } })
  await expect(add()).rejects.toThrow('Unauthorized')
  await agent.finish()
  expect(agent.consents[1]).toContain('Add notes')
  await add()
  await client.close()
  await page.goto(`${started.example.application}/notes`)
  const written = page.getByRole('listitem').filter({ hasText: 'Buy milk' })
  expect(await written.textContent()).toContain('by agent.localhost')

  // Withdrawn on the account page: the next refresh is refused, and the agent has to ask again.
  await page.getByRole('link', { name: 'See and withdraw its access' }).click()
  await page.getByRole('button', { name: /agent\.localhost/ }).click()
  await page.getByText('The access is withdrawn.').waitFor()
  const { refresh_token = '' } = agent.kept.tokens as { refresh_token?: string }
  expect(await refresh(refresh_token)).toEqual([400, 'invalid_grant'])
  agent.kept.tokens = { access_token: 'expired', token_type: 'Bearer', refresh_token }
  await expect(agent.connect()).rejects.toThrow('Unauthorized')
  expect(agent.consents).toHaveLength(3)
  await context.close()
})

async function refresh(token: string): Promise<[number, string]> {
  const response = await fetch(`${started.issuer}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: started.publish('Note Taker', [callback.url]),
      refresh_token: token,
    }),
  })
  const { error } = (await response.json()) as { error: string }
  return [response.status, error]
}

test('the MCP server answers with a challenge, never with a login page, and pages take no token', async () => {
  const server = await fetch(started.url, { method: 'POST', headers: { accept: 'text/html' } })
  expect(server.status).toBe(401)
  expect(server.headers.get('www-authenticate')).toContain('scope="notes:read"')
  const page = await fetch(`${started.example.application}/notes`, {
    headers: { authorization: 'Bearer some.access.token' },
  })
  expect(page.status).toBe(401)
})
