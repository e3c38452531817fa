import { expect, test } from 'vitest'
import { keepPicture, overflows } from '../../../../test/support/look.ts'
import { startChromium } from '../pages/chromium.ts'
import { listenWithConsole } from './chromium.ts'

test.each([
  [{ locale: 'en-GB', colorScheme: 'light', viewport: { width: 1280, height: 900 } }, 'en'],
  [{ locale: 'de-DE', colorScheme: 'dark', viewport: { width: 390, height: 844 } }, 'de'],
] as const)(
  'an operator confirms a command line without scripts, in %s',
  async (window, language) => {
    await using console = await listenWithConsole()
    const { service, url, password } = console
    await using chromium = await startChromium()
    const page = await chromium.open({ ...window, javaScriptEnabled: false })
    const email = 'ada@example.com'
    const { token } = await service.admin.inviteOperator({ email, role: 'admin' })
    await page.goto(`${url}/console/invitation?token=${token}`)
    await page.fill('[name=password]', password)
    await page.click('main button')
    const begun = await service.fetch(`${url}/oidc/device`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: 'latchkey-command', scope: 'openid' }).toString(),
    })
    const { verification_uri_complete: address, user_code: code } = (await begun.json()) as Record<
      string,
      string
    >
    await page.goto(address ?? '')
    await page.click('button[type=submit]')
    await page.fill('[name=email]', email)
    await page.fill('[name=password]', password)
    await page.click('button[type=submit]')
    await page.locator('button[value=allow]').waitFor()

    const text = (await page.textContent('main')) ?? ''
    expect(text).toContain(code)
    expect(text).toContain(
      language === 'en' ? 'as far as your role may' : 'soweit Ihre Rolle es darf',
    )
    await keepPicture(page, `command-login-${language}`)
    expect(await overflows(page)).toBe(false)
    await page.click('button[value=allow]')
    await page.locator('svg.good').waitFor()
    await page.goto(`${url}/account/access`)
    await page.locator('button[name=withdraw]').waitFor()
    expect(await page.textContent('main')).toContain(
      language === 'en' ? 'as far as your role may' : 'soweit Ihre Rolle es darf',
    )
    await keepPicture(page, `command-access-${language}`)
  },
)
