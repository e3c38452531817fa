import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { keepPicture, overflows, sizes, violationsOf } from '../../../../test/support/look.ts'
import { startChromium } from '../pages/chromium.ts'
import { type ListeningConsole, listenWithConsole } from './chromium.ts'
import { aTenant } from './tenant.ts'

const REASON = 'Ticket 4711: the invoice page is empty'

/** A tenant on this machine in which users are asked first, with Ada. */
async function start(running: ListeningConsole) {
  const { port } = new URL(running.url)
  const domain = `acme.localhost:${port}`
  const tenant = await aTenant(
    running as never,
    { company_name: 'Acme', developer_mode: true },
    domain,
  )
  const url = `/v1/tenants/${tenant.id}`
  const { body } = await tenant.call('GET', url)
  await tenant.call('POST', url, { ...body, metadata: { latchkey_impersonation: 'asked' } })
  const ada = await tenant.addUser({ name: 'Ada Lovelace' })
  await tenant.call('POST', `${url}/applications`, {
    name: 'Garden Shop',
    redirect_urls: ['http://localhost:3000/callback'],
    login_url: 'http://localhost:3000/login',
  })
  return { tenant, ada, origin: `http://${domain}` }
}

/** Checks a page on a desktop and on a phone: nothing overflows, and axe finds nothing. */
async function look(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of [
    ['desktop', sizes.desktop],
    ['phone', sizes.phone],
  ] as const) {
    await page.setViewportSize(viewport)
    expect(await overflows(page), `${name} ${size}`).toBe(false)
    expect(await violationsOf(page), `${name} ${size}`).toEqual([])
    await keepPicture(page, `log-in-as-${name}-${size}`)
  }
}

test('in a browser, an operator asks, the user agrees, and the operator sees the account until they end it', async () => {
  await using chromium = await startChromium()
  await using running = await listenWithConsole()
  const { tenant, ada, origin } = await start(running)
  const eve = await chromium.open()
  await running.enter(eve, { email: 'eve@example.com', role: 'admin' })
  await eve.goto(`${running.url}${tenant.path}/users/${ada.id}`)
  await eve.getByRole('link', { name: 'Log in as this user…' }).click()
  await look(eve, 'question')
  await eve.getByLabel('Reason').fill(REASON)
  await eve.getByRole('button', { name: 'Ask the user' }).click()
  await eve.getByText('waits for the user').waitFor()

  const user = await chromium.open({ locale: 'de-DE', colorScheme: 'dark' })
  await user.goto(`${origin}/account/support`)
  await user.getByLabel('E-Mail').fill(ada.email)
  await user.getByLabel('Passwort', { exact: true }).fill('correct horse battery')
  await user.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await user.getByText(REASON).waitFor()
  await look(user, 'support')
  await user.getByRole('button', { name: 'Diese Person anmelden lassen' }).click()
  await user.getByText('Darf sich innerhalb einer Stunde anmelden').waitFor()

  await eve.reload()
  await eve.getByRole('button', { name: 'Begin…' }).click()
  await look(eve, 'ticket')
  const opening = eve.context().waitForEvent('page')
  await eve.getByRole('button', { name: 'Go on' }).click()
  const acting = await opening
  await acting.getByRole('heading', { name: 'Log in as a user' }).waitFor()
  await look(acting, 'confirm')
  await acting.getByRole('button', { name: `Log in as ${ada.email}` }).click()
  await acting.getByText(`you are logged in as ${ada.email}`).waitFor()
  await acting.getByRole('link', { name: 'Continue to Garden Shop' }).waitFor()
  await look(acting, 'account')
  await acting.goto(`${origin}/account/password`)
  await acting.getByRole('heading', { name: 'Only the user can do that' }).waitFor()
  await look(acting, 'refused')

  await user.reload()
  await user.getByText('Als Sie angemeldet seit').waitFor()
  await acting.getByRole('button', { name: 'End now' }).click()
  await acting.getByRole('heading', { name: 'You are logged out' }).waitFor()
  await acting.goto(`${origin}/account`)
  await acting.getByLabel('Email address').waitFor()
  await user.reload()
  await user.getByText('Als Sie angemeldet am').waitFor()
})
