import { mkdirSync } from 'node:fs'
import { createIdentityService } from '@latchkey/service'
import { launchChromium } from '/work/wt/console/test/support/chromium.ts'
import { overflows, violationsOf } from '/work/wt/console/test/support/look.ts'

const port = 47123
const url = `http://console.localhost:${port}`
const service = await createIdentityService({ allowHttpOnLoopback: true, consoleUrl: url })
await service.listen({ port })
const { admin } = service
const t = await admin.createTenant({
  domain: 'login.acme.example',
  name: 'Acme Garden Supplies',
  settings: { companyName: 'Acme', supportEmail: 'help@acme.example' },
})
await admin.seed({
  tenants: [
    {
      settings: { domain: 'login.acme.example' },
      users: ['ada', 'grace', 'alan'].map((n) => ({
        profile: { email: `${n}@example.com`, name: `${n} Lovelace`, email_verified: n === 'ada' },
        password: { alg: 'plain', hash: 'correct horse battery' },
      })),
    },
  ],
})
await admin.createApiKey({
  name: 'import',
  reach: [t.id],
  expiresAt: (Date.now() + 3 * 86400e3) * 1000,
})
await admin.inviteOperator({ email: 'bob@example.com', role: 'viewer' })
const { token } = await admin.inviteOperator({ email: 'operator@example.com', role: 'owner' })
const userId = (await admin.audit({ tenantId: t.id, limit: 50 })).find(
  (e) => e.action === 'user.create',
)?.target
const browser = await launchChromium()
mkdirSync('/tmp/shots', { recursive: true })
const begun = Date.now()
const context = await browser.newContext({ javaScriptEnabled: false })
const page = await context.newPage()
await page.goto(`${url}/console/invitation?token=${token}`)
await page.screenshot({ path: '/tmp/shots/invitation.png' })
await page.fill('#password', 'correct horse battery')
await page.click('button')
await page.fill('input[name=email]', 'operator@example.com')
await page.fill('input[name=password]', 'correct horse battery')
await page.press('input[name=password]', 'Enter')
await page.waitForURL(`${url}/console`)
console.log('logged in', page.url(), Date.now() - begun, 'ms')
const state = await context.storageState()
const paths: Record<string, string> = {
  overview: '/console',
  tenants: '/console/tenants',
  tenant: `/console/t/${t.id}`,
  users: `/console/t/${t.id}/users`,
  user: `/console/t/${t.id}/users/${userId}`,
  keys: '/console/keys',
  operators: '/console/operators',
  audit: '/console/audit',
}
for (const [size, viewport] of Object.entries({
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
})) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const c = await browser.newContext({
      storageState: state,
      viewport,
      colorScheme,
      bypassCSP: true,
    })
    const p = await c.newPage()
    for (const [name, path] of Object.entries(paths)) {
      await p.goto(url + path)
      await p.screenshot({ path: `/tmp/shots/${name}-${size}-${colorScheme}.png`, fullPage: true })
      const v = await violationsOf(p)
      console.log(
        name,
        size,
        colorScheme,
        v.length ? v : 'axe 0',
        (await overflows(p)) ? 'OVERFLOWS' : '',
      )
    }
    await c.close()
  }
}
await browser.close()
await service.close()
