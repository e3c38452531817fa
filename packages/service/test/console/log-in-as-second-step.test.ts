import { expect, test } from 'vitest'
import { act, openShop, start } from './log-in-as.ts'

test('a second step that the tenant requires is not asked of an operator, and tokens claim none', async () => {
  const at = await start('SQLite')
  await using _ = at.running
  const { tenant } = at
  const url = `/v1/tenants/${tenant.id}`
  const { body } = await tenant.call('GET', url)
  const settings = { ...body.settings, allow_totp_app: true }
  const metadata = { ...body.metadata, latchkey_second_step_from: '2020-01-01' }
  expect((await tenant.call('POST', url, { ...body, settings, metadata })).status).toBe(200)
  const browser = await act(at)
  expect((await browser.get('/account')).html).toContain('class="acting"')
  const shop = await openShop(at, browser)
  const { body: tokens } = await shop.redeem()
  const claims = JSON.parse(atob(tokens.id_token.split('.')[1] ?? ''))
  expect(claims).not.toHaveProperty('acr')
  expect((await openShop(at, browser, { acr_values: 'any' })).error).toBe('access_denied')
})
