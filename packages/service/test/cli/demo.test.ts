import { createIdentityService } from '@latchkey/service'
import { expect, onTestFinished, test } from 'vitest'
import { prepareDemo } from '../../src/cli/demo.ts'

test('the demo finds its users in a folder that had a hundred others before', async () => {
  const service = await createIdentityService({
    allowDeveloperMode: true,
    allowHttpOnLoopback: true,
  })
  onTestFinished(() => service.close())
  const others = Array.from({ length: 100 }, (_, n) => ({
    profile: { email: `u${n}@example.com` },
  }))
  const settings = { domain: 'acme.localhost:4400', company_name: 'Acme', developer_mode: true }
  await service.admin.seed({ tenants: [{ settings, users: others }] })

  const { authenticator: app } = await prepareDemo(service, 4400, 'http://localhost:3000')

  expect(app.code()).toMatch(/^\d{6}$/)
})
