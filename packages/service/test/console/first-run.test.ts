import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { device } from '../../../../test/support/chromium.ts'
import { keepPicture } from '../../../../test/support/look.ts'
import { startChromium } from '../pages/chromium.ts'
import { listenWithConsole } from './chromium.ts'
import { startConsole } from './support.ts'

const COMMAND = join(import.meta.dirname, '../../src/cli/main.ts')

test('an operator invited on the command line sets a password, adds a passkey, and logs in and confirms with it', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-first-run-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  await using chromium = await startChromium()
  await using running = await listenWithConsole({ data })
  await running.service.admin.createTenant({ domain: 'acme.example' })
  const page = await chromium.open()
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', { options: device })

  const began = performance.now()
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--conditions=latchkey-source', COMMAND, 'operator', 'invite', '--data', data],
    ...['--email', 'ada@example.com', '--role', 'owner', '--console-url', running.url],
  ])
  const link = /http:\S+\/console\/invitation\?token=\S+/.exec(stdout)?.[0] ?? stdout
  await page.goto(link)
  await page.getByLabel('Password').fill(running.password)
  await page.getByRole('button', { name: 'Set the password' }).click()
  await running.logIn(page, 'ada@example.com')
  await page.getByRole('link', { name: 'Add a passkey or an authenticator app' }).click()
  await page.getByRole('link', { name: 'Add: Passkey or security key' }).click()
  await page.getByLabel('Name').fill('Laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()

  await page.context().clearCookies()
  await page.goto(`${running.url}/console`)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  const seconds = (performance.now() - began) / 1_000
  process.stdout.write(`"operator invite" to logged in with a passkey: ${seconds.toFixed(1)} s\n`)
  expect(await page.getByText('You log in with a password alone').count()).toBe(0)

  // Six minutes later, what is dangerous asks for the passkey again.
  await page.goto(`${running.url}/console/keys/new`)
  await page.getByLabel('Name').fill('ci')
  await page.getByLabel('acme.example').check()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  await page.getByRole('button', { name: 'Make the key' }).click()
  await page.getByText('You have logged in again').waitFor()
  await keepPicture(page, 'console-kept-form')
  expect(await running.service.admin.listApiKeys()).toEqual([])
  await page.getByRole('button', { name: 'Go on with it' }).click()
  await page.getByText('is shown once').waitFor()
})

test('the first start with a console has nothing to complain about, though no operator is invited yet', async () => {
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  await using running = await startConsole({ logger })
  expect((await running.open().get('/console')).html).toContain('name="password"')
  // The console reads the metadata of its issuer in the background.
  await sleep(200)
  expect(lines).toEqual([])
})
