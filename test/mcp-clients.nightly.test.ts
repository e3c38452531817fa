import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { run } from '../scripts/run.ts'
import { allowAccess, answerConsent, type McpExample, startMcpExample } from './support/agents.ts'
import { launchChromium } from './support/chromium.ts'
import { freePort } from './support/free-port.ts'
import { limit, usual } from './support/limits.ts'
import { installPublished } from './support/published.ts'

/** The published clients; the guide for agents names the same versions. */
const MCP_REMOTE = 'mcp-remote@0.15.1'
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'
/** The first versions that test authorization servers are alphas. */
const CONFORMANCE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'

let browser: Browser
let started: McpExample
beforeAll(async () => {
  browser = await launchChromium()
  started = await startMcpExample()
})
afterAll(async () => {
  await browser?.close()
  await started?.[Symbol.asyncDispose]()
})

let page: Page
beforeEach(async () => {
  page = await (await browser.newContext()).newPage()
})
afterEach(() => page.context().close())

test('mcp-remote connects from the URL alone, as it registers itself, and is stepped up', async (context) => {
  const program = await installPublished(context, MCP_REMOTE, 'dist/proxy.js')
  const port = String(await freePort())
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, started.url, port, '--auth-timeout', '600'],
    env: {
      ...{
        PATH: process.env.PATH ?? '',
        HOME: started.folder,
        NODE_EXTRA_CA_CERTS: started.authority,
      },
      // So that it opens no browser of the machine.
      BROWSER: 'none',
    },
    stderr: 'pipe',
  })
  const consents = answerEach(transport, page)
  const client = new Client({ name: 'desktop', version: '1.0.0' })
  onTestFinished(() => client.close())
  await client.connect(transport as never, { timeout: limit(usual.test) })
  expect(JSON.stringify(await client.callTool({ name: 'read_notes' }))).toContain('notes')
  expect(consents).toHaveLength(1)
  expect(consents[0]).not.toContain('Add notes')

  await expect
    .poll(async () => {
      const add = { name: 'add_note', arguments: { text: 'Sent by mcp-remote' } }
      // A request that was refused is not answered; the next one is.
      const answer = client.callTool(add, undefined, { timeout: limit(10) })
      return JSON.stringify(await answer.catch((error) => String(error)))
    })
    .toContain('The note was added.')
  await expect.poll(() => consents).toHaveLength(2)
  expect(consents[1]).toContain('Add notes')
})

/** Opens each address that a program prints for its user, and allows the access; returns the texts of the consent pages. */
function answerEach(transport: StdioClientTransport, page: Page): string[] {
  const consents: string[] = []
  let output = ''
  transport.stderr?.on('data', (chunk) => {
    output += chunk
    const [printed, url = ''] = /visiting:\s+(\S+)\s/.exec(output) ?? []
    if (printed === undefined) return
    output = ''
    // A tab of its own, as the one before may still be on its way to the callback.
    const answered = page
      .context()
      .newPage()
      .then((tab) => allowAccess(tab, url))
    void answered.then((text) => consents.push(text))
  })
  return consents
}

test('the MCP Inspector connects from the URL and a metadata document, and is stepped up', async (context) => {
  const program = await installPublished(context, INSPECTOR, 'clients/launcher/build/index.js')
  const port = String(await freePort())
  const storage = join(started.folder, 'inspector')
  mkdirSync(storage)
  const clientMetadataUrl = started.publish('MCP Inspector', ['http://127.0.0.1/oauth/callback'])
  writeFileSync(
    join(storage, 'client.json'),
    JSON.stringify({ cimd: { enabled: true, clientMetadataUrl } }),
  )
  const child = spawn(
    process.execPath,
    [program, '--web', '--transport', 'http', '--server-url', started.url],
    {
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: started.folder, MCP_STORAGE_DIR: storage },
        ...{ CLIENT_PORT: port, MCP_SANDBOX_PORT: String(await freePort()) },
        ...{ MCP_AUTO_OPEN_ENABLED: 'false', MCP_INSPECTOR_SECRET_STORE: 'memory' },
      },
    },
  )
  onTestFinished(() => void child.kill())
  const url = await printed(child, /up and running at:\s+(\S+)\s/)

  await page.goto(url)
  await page.getByRole('switch').first().click({ force: true })
  expect(await answerConsent(page)).not.toContain('Add notes')
  await page.waitForURL(new RegExp(`:${port}/`))
  await page.getByText('Tools', { exact: true }).first().click()
  await page.getByText('read_notes').first().click()
  await page.getByRole('button', { name: 'Execute Tool' }).click()
  await page.getByText(/There are no notes|Sent by/).waitFor()

  const add = async (): Promise<void> => {
    await page.getByText('add_note').first().click()
    await page.getByLabel(/^text/).fill('Sent by the Inspector')
    await page.getByRole('button', { name: 'Execute Tool' }).click()
  }
  await add()
  await page.getByRole('button', { name: 'Authorize' }).click()
  expect(await answerConsent(page)).toContain('Add notes')
  await page.waitForURL(new RegExp(`:${port}/`))
  await add()
  await page.getByText('The note was added.').first().waitFor()

  // Withdrawn on the account page.
  await page.goto(`${started.issuer}/account/access`)
  await page
    .getByText('calls itself “MCP Inspector”')
    .or(page.getByText('MCP Inspector'))
    .first()
    .waitFor()
})

/** Waits until a program has printed something. */
function printed(child: ChildProcess, mark: RegExp): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk
      const [, found] = mark.exec(output) ?? []
      if (found !== undefined) resolve(found)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${output}`)))
  })
}

/** The scenarios of the suite that are not run, by the heading of its list, each with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'Server scenarios': 'It sends no access token, and none of these is about authorization',
  'Client scenarios': 'They test clients; we publish none',
}
const AUTHORIZATION = 'Authorization server scenarios'

test('the conformance suite of the protocol has nothing against the service as its authorization server', async (context) => {
  const program = await installPublished(context, CONFORMANCE, 'dist/index.js')
  const suite = (...args: string[]) => run(process.execPath, [program, ...args])
  const { output: list } = await suite('list')
  const groups = new Map(
    list
      .split(/\n(?=\S)/)
      .map((part) => [part.split(' (')[0] ?? '', [...part.matchAll(/^ +- (\S+)/gm)]] as const)
      .map(([heading, found]) => [heading, found.map(([, name = '']) => name)]),
  )
  expect([...groups.keys()].sort()).toEqual([AUTHORIZATION, ...Object.keys(NOT_RUN)].sort())
  for (const [heading, reason] of Object.entries(NOT_RUN)) {
    for (const name of groups.get(heading) ?? [])
      process.stdout.write(`not run: ${name}. ${reason}.\n`)
  }

  const port = String(await freePort())
  const clientId = started.publish('Conformance', ['http://127.0.0.1/callback'])
  // One run for all scenarios: each has the results of those before it.
  const child = spawn(process.execPath, [
    ...[program, 'authorization', '--url', started.issuer],
    ...['--client-id', clientId, '--resource', started.url, '--port', port],
  ])
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const ended = once(child, 'exit')
  await allowAccess(page, await printed(child, /(http\S+\?response_type=\S+)\s/))
  await ended
  for (const scenario of groups.get(AUTHORIZATION) ?? [])
    expect(output).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
})
