import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { createNodeTransport } from '@latchkey/core/node'
import { expect, test, vi } from 'vitest'
import { startConsole } from '../packages/service/test/console/support.ts'
import { fetchOver } from './support/fetch-over.ts'

const textOf = (html: string, id: string) =>
  (new RegExp(`<pre class="code" id="${id}">([^<]*)</pre>`).exec(html)?.[1] ?? '')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

test('the snippet of an application logs users in as it stands, with the routes of its URLs', async () => {
  await using running = await startConsole({ allowHttpOnLoopback: true })
  const { service } = running
  const { port } = await service.listen({ port: 0 })
  const domain = `acme.localhost:${port}`
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const own = `http://localhost:${(server.address() as AddressInfo).port}`
  const folder = mkdtempSync(join(import.meta.dirname, 'node_modules/.console-snippet-'))
  try {
    const tenant = await service.admin.createTenant({ domain })
    await service.admin.seed({
      tenants: [
        {
          settings: { domain },
          applications: [
            {
              name: 'Shop',
              login_url: `${own}/in`,
              redirect_urls: [`${own}/back`],
            },
          ],
        },
      ],
    })
    const [made] = await service.admin.audit({ tenantId: tenant.id, limit: 1 })
    const ada = await running.logIn({ role: 'admin' })
    const page = await ada.get(`/console/t/${tenant.id}/applications/${made?.target}`)
    expect(textOf(page.html, 'environment')).toContain('<the client secret>')
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    const shown = await ada.send(`${page.url}/secret`, {
      method: 'POST',
      body: new URLSearchParams({ csrf }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const environment = parseEnv(textOf(shown.html, 'environment'))
    expect(environment).toMatchObject({
      LATCHKEY_ISSUER: `http://${domain}`,
      LATCHKEY_CLIENT_ID: made?.target,
      LATCHKEY_CLIENT_SECRET: expect.stringMatching(/^[\w-]{43}$/),
      LATCHKEY_BASE_URL: own,
    })
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
    vi.stubEnv('LATCHKEY_SESSION_SECRET', 'a secret of its own, with 32 characters')
    const code = textOf(shown.html, 'code')
    expect(code).toContain("routes: { login: '/in', callback: '/back' }")
    const file = join(folder, 'app.mjs')
    writeFileSync(file, code)
    server.on('request', (await import(file)).app)

    // What a browser sends; the fetch of Node says that it is a script.
    const open = fetchOver(createNodeTransport())
    for (const path of ['/account', '/in']) {
      const asked = await open(`${own}${path}`, {
        redirect: 'manual',
        headers: { accept: 'text/html' },
      })
      const location = new URL(asked.headers.get('location') ?? '', own)
      expect(location.origin).toBe(`http://${domain}`)
      expect(location.searchParams.get('redirect_uri')).toBe(`${own}/back`)
      const login = await open(location.href, { redirect: 'manual' })
      expect(login.headers.get('location')).toContain('/login')
    }
  } finally {
    vi.unstubAllEnvs()
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  }
})
