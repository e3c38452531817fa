import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../../../scripts/packages.ts'
import { keepPicture } from '../../../../test/support/look.ts'
import { createDevice } from '../issuer/support/devices.ts'
import { startIssuer, type TestIssuer } from '../issuer/support/issuer.ts'
import { startChromium } from './chromium.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

/** The command line of the guide, in a process of its own, and the lines that it prints. */
function startProgram(issuer: string, clientId: string) {
  const program = join(root, 'examples/guides/src/command-line-login.ts')
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ISSUER: issuer, CLIENT_ID: clientId, ALLOW_HTTP: 'yes' },
  })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async () => String((await lines.next()).value)
}

async function startLocally(issuer: TestIssuer) {
  // The HTTP client of the program knows no *.localhost.
  await issuer.changeSettings({ domain: `localhost:${issuer.port}` })
  return { ...issuer, url: `http://localhost:${issuer.port}` }
}

test.each([
  [{ locale: 'en-GB', colorScheme: 'light', viewport: { width: 1280, height: 900 } }, 'en'],
  [{ locale: 'de-DE', colorScheme: 'dark', viewport: { width: 390, height: 844 } }, 'de'],
] as const)(
  'a user of a command line logs in with a browser without scripts, in %s',
  async (window, language) => {
    await using issuer = await startIssuer({ settings: { companyName: 'Acme Garden Supplies' } })
    await issuer.addUser(ada)
    const { url } = await startLocally(issuer)
    const { application } = await createDevice({ ...issuer, url }, undefined, 'Garden command line')
    await using chromium = await startChromium()
    const page = await chromium.open({ ...window, javaScriptEnabled: false })
    const next = startProgram(url, application.id)

    const [, address = '', code = ''] = /^Open (\S+) and enter (\S+)$/.exec(await next()) ?? []
    await page.goto(address)
    await page.fill('[name=user_code]', 'bbbb bbbb')
    await page.click('button[type=submit]')
    await keepPicture(page, `device-wrong-${language}`)
    expect(await page.getAttribute('[name=user_code]', 'aria-invalid')).toBe('true')
    await page.fill('[name=user_code]', code.toLowerCase())
    await keepPicture(page, `device-code-${language}`)
    await page.click('button[type=submit]')
    await page.fill('[name=email]', ada.email)
    await page.fill('[name=password]', ada.password)
    await page.click('button[type=submit]')
    await page.locator('button[value=allow]').waitFor()
    expect(await page.textContent('main')).toContain(code)
    await keepPicture(page, `device-question-${language}`)
    await page.click('button[value=allow]')
    await page.locator('svg.good').waitFor()
    await keepPicture(page, `device-done-${language}`)

    expect(await next()).toBe(`Logged in as ${ada.email}`)
    expect(await next()).toBe('Refreshed for 3600 seconds')
    await page.goto(`${url}/account/access`)
    await page.locator('button[name=withdraw]').waitFor()
    await keepPicture(page, `device-access-${language}`)
  },
)
