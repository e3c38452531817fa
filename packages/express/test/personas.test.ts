import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express from 'express'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../../test/support/chromium.ts'
import { watchServer } from '../../../test/support/leaks.ts'
import { keepPicture, overflows, sizes, violationsOf } from '../../../test/support/look.ts'
import { keyLink, type LogLine, watchLog } from './support/errors.ts'

const express5 = pathToFileURL(path.join(import.meta.dirname, '../src/index.ts')).href
const program = process.argv[1] as string
const lines: LogLine[] = []
let server: Server
let browser: Browser
let url: string

beforeAll(async () => {
  const app = express()
  server = createServer(app)
  watchServer(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://localhost:${(server.address() as AddressInfo).port}`
  // Personas are looked for beside the program that runs, which is the test runner here.
  process.argv[1] = fileURLToPath(import.meta.url)
  app.use(createAuthRouter({ baseUrl: url, logger: watchLog(lines) }))
  process.argv[1] = program
  app.get('/account', requireUser(), (req, res) => void res.send(`in as ${getUser(req).email}`))
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  server.closeAllConnections()
  server.close()
})

test('a person who opens a guarded page picks a persona with one click, on every device', async () => {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${url}/account`)
  await page.getByRole('heading', { name: 'Open the link in your terminal' }).waitFor()
  const link = await page.context().newPage()
  await link.goto(keyLink(lines))
  await link.close()
  await page.reload()
  await page.getByRole('heading', { name: 'Log in as' }).waitFor()
  for (const device of ['desktop', 'phone', 'narrowest'] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(sizes[device])
      await page.emulateMedia({ colorScheme })
      await keepPicture(page, `personas-${device}-${colorScheme}`)
      expect(await violationsOf(page, colorScheme === 'dark')).toEqual([])
      expect(await overflows(page)).toBe(false)
    }
  }

  await page.getByRole('link', { name: 'Joan Clarke' }).click()

  await page.waitForURL(`${url}/account`)
  expect(await page.textContent('body')).toBe('in as joan@example.com')
  await page.goto(`${url}/__latchkey`)
  const recorded = (await page.textContent('main')) ?? ''
  expect(recorded).toContain('Login: logged in')
  expect(recorded).toContain('"roles"')
  await page.context().close()
})

test('a log line at start says that personas can log in', () => {
  expect(lines.filter(({ facts }) => facts.code === 'LATCHKEY_PERSONAS')).toHaveLength(1)
})

test('an application without @latchkey/testing is told what to set and what to install', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-personas-'))
  const script = `
    const { createAuthRouter } = await import(${JSON.stringify(express5)})
    try { createAuthRouter({ baseUrl: 'http://localhost:3000' }) } catch (error) { console.log(error.message) }`
  const args = ['--conditions=latchkey-source', '--input-type=module', '--eval', script]
  // Runners of pnpm name folders in which everything is found.
  const env = { ...process.env, NODE_ENV: 'development', NODE_PATH: '' }
  const output = execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
  rmSync(folder, { recursive: true })

  expect(output).toContain('"issuer" (or LATCHKEY_ISSUER) is not set.')
  expect(output).toContain('npm install --save-dev @latchkey/testing')
  expect(output).toContain('"session.secret" (or LATCHKEY_SESSION_SECRET) is not set.')
})
