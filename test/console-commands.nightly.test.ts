import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startConsole } from '../packages/service/test/console/support.ts'

const mains = {
  'latchkey-service': '../packages/service/src/cli/main.ts',
  latchkey: '../packages/management/src/cli/main.ts',
}

/** The commands that a page shows, one a line. */
function commandsOf(html: string): string[] {
  const [, text = ''] = /<details class="command">.*?<pre>([^<]*)<\/pre>/s.exec(html) ?? []
  return text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .split('\n')
}

test('the commands that the pages of a tenant show work as they stand', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-commands-'))
  try {
    for (const [name, path] of Object.entries(mains)) {
      const source = fileURLToPath(new URL(path, import.meta.url))
      mkdirSync(join(folder, 'bin'), { recursive: true })
      const file = join(folder, 'bin', name)
      const node = `exec "${process.execPath}" --conditions=latchkey-source`
      writeFileSync(file, `#!/bin/sh\n${node} "${source}" "$@"\n`)
      chmodSync(file, 0o755)
    }
    const data = join(folder, 'data')
    await using running = await startConsole({ data })
    const { admin } = running.service
    const { port } = await running.service.listen({ port: 0 })
    const tenant = await admin.createTenant({ domain: 'acme.example', name: "Acme's $(shop)" })
    const { secret } = await admin.createApiKey({ name: 'tests', reach: 'all' })
    await admin.seed({
      tenants: [
        {
          settings: { domain: 'acme.example' },
          applications: [
            { name: "Ada's $HOME `id`", redirect_urls: ['https://shop.example/callback'] },
          ],
        },
      ],
    })
    const [made] = await admin.audit({ tenantId: tenant.id, limit: 1 })
    // Forms that add something are for those who may.
    const operator = await running.logIn({ role: 'admin' })
    const base = `/console/t/${tenant.id}`
    const connection = await admin.createConnection(tenant.id, {
      recipe: 'google',
      name: "Google's $(one)",
      clientId: 'acme',
      secret: 'a secret',
    })
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const recipes = ['google', 'microsoft', 'apple', 'gitlab', 'oidc']
    for (const recipe of recipes) writeFileSync(join(folder, `${recipe}.secret`), 'a secret')
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(join(folder, 'apple.secret'), pem)
    const pages = [
      base,
      `${base}/settings`,
      `${base}/applications/${made?.target}`,
      `${base}/applications`,
      ...recipes.map((recipe) => `${base}/connections/add/${recipe}`),
      `${base}/connections/${connection.id}`,
      `${base}/connections`,
      `${base}/signing-keys`,
      '/console/tenants',
    ]

    for (const page of pages) {
      const commands = commandsOf((await operator.get(page)).html)
      expect(commands.length).toBeGreaterThan(0)
      for (const command of commands) {
        const { stdout } = await promisify(execFile)('bash', ['-euc', command], {
          cwd: folder,
          env: {
            ...process.env,
            NODE_OPTIONS: '',
            PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
            LATCHKEY_DATA: data,
            LATCHKEY_URL: `http://127.0.0.1:${port}`,
            LATCHKEY_API_KEY: secret,
          },
        })
        expect(`${command}\n${stdout}`).toMatch(/\n./)
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
