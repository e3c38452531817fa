import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startMcpExample } from './support/agents.ts'
import { launchChromium } from './support/chromium.ts'
const s = await startMcpExample()
console.log(s.url, s.issuer)
const port = '16274'
const id = s.publish('MCP Inspector', [`http://localhost:${port}/oauth/callback`, `http://127.0.0.1:${port}/oauth/callback`])
const storage = join(s.folder, 'storage')
mkdirSync(storage, { recursive: true })
writeFileSync(join(storage, 'client.json'), JSON.stringify({ cimd: { enabled: true, clientMetadataUrl: id } }))
const child = spawn(process.execPath, ['/tmp/wc3/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', '--web', '--transport', 'http', '--server-url', s.url], {
  env: { ...process.env, HOME: s.folder, MCP_STORAGE_DIR: storage, CLIENT_PORT: port, MCP_AUTO_OPEN_ENABLED: 'false', MCP_INSPECTOR_SECRET_STORE: 'memory', MCP_SANDBOX_PORT: '16275', DANGEROUSLY_OMIT_AUTH: 'true' },
})
let out = ''
child.stdout.on('data', (c) => { out += c; process.stdout.write(c) })
child.stderr.on('data', (c) => process.stderr.write(c))
while (!out.includes('up and running')) await new Promise((r) => setTimeout(r, 200))
const browser = await launchChromium()
const page = await browser.newPage({ viewport: { width: 1300, height: 900 } })
page.on('console', (m) => m.type() === 'error' && console.log('console', m.text()))
page.on('requestfailed', (r) => console.log('failed', r.url(), r.failure()?.errorText))
const [, url = ''] = /(http:\/\/\S+)/.exec(out) ?? []
await page.goto(url)
const { createInterface } = await import('node:readline')
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'quit') break
  try { console.log('>', await new AsyncFunction('page', 's', line)(page, s)) } catch (e) { console.log('!', String(e).slice(0, 600)) }
  await page.screenshot({ path: '/tmp/wc/insp.png' })
  console.log('READY')
}
await browser.close(); child.kill(); await s[Symbol.asyncDispose](); process.exit()
