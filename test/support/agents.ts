import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createCallbackServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { selfSigned } from './certificate.ts'
import { type StartedExample, startExample } from './started.ts'

/** `examples/mcp`, and the host on which its agents publish their metadata documents. */
export interface McpExample extends AsyncDisposable {
  readonly example: StartedExample
  /** The URL of the MCP server, and nothing else that a client has to know. */
  readonly url: string
  readonly issuer: string
  /** Publishes the metadata document of a client; returns its address, which is the `client_id`. */
  publish(name: string, redirectUris: readonly string[]): string
  /** A folder that is removed at the end. */
  readonly folder: string
  /** The file with the certificate of the host, for programs that read a document themselves. */
  readonly authority: string
}

/** Starts `examples/mcp` as a person does; its service trusts the host of the agents. */
export async function startMcpExample(): Promise<McpExample> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-mcp-'))
  const certificate = await selfSigned('agent.localhost')
  const authority = join(folder, 'authority.pem')
  writeFileSync(authority, certificate.cert)
  const documents = new Map<string, object>()
  const host = createServer(certificate, (request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(documents.get(request.url ?? '') ?? {}))
  })
  const port = await listen(host)
  const example = await startExample('examples/mcp/src/start.ts', [], {
    NODE_EXTRA_CA_CERTS: authority,
  })
  const [, issuer = ''] = /Withdraw access +(\S+)\/account\/access/.exec(example.output) ?? []
  return {
    example,
    issuer,
    folder,
    authority,
    url: `${example.application}/mcp`,
    publish(name, redirectUris) {
      const path = `/${name.toLowerCase().replaceAll(' ', '-')}.json`
      const clientId = `https://agent.localhost:${port}${path}`
      documents.set(path, {
        ...{ client_id: clientId, client_name: name, token_endpoint_auth_method: 'none' },
        redirect_uris: redirectUris,
      })
      return clientId
    },
    async [Symbol.asyncDispose]() {
      await example.stop()
      await close(host)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The callback of a program on the user's device. */
export async function startCallback() {
  let arrived: (parameters: URLSearchParams) => void = () => {}
  const server = createCallbackServer((request, response) => {
    response.end('You can close this page.')
    arrived(new URL(request.url ?? '/', 'http://127.0.0.1').searchParams)
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}/callback`,
    /** The parameters of the next response. */
    next: () =>
      new Promise<URLSearchParams>((resolve) => {
        arrived = resolve
      }),
    [Symbol.asyncDispose]: () => close(server),
  }
}

/** Opens the address that an agent sends its user to, logs Ada in if she is asked to, and allows the access. */
export async function allowAccess(page: Page, url: string): Promise<string> {
  await page.goto(url)
  return answerConsent(page)
}

/** Logs Ada in on the page that is open, if she is asked to, and allows the access. Returns the text of the consent page. */
export async function answerConsent(page: Page): Promise<string> {
  const allow = page.getByRole('button', { name: 'Allow access' })
  const logIn = page.getByRole('button', { name: 'Log in', exact: true })
  await allow.or(logIn).first().waitFor()
  if (await logIn.isVisible()) {
    await page.getByLabel('Email address').fill('ada@example.com')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await logIn.click()
  }
  await allow.waitFor()
  const text = (await page.getByRole('main').textContent()) ?? ''
  await allow.click()
  return text
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function close(server: Server & { closeAllConnections(): void }): Promise<unknown> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
}
