import { fileURLToPath } from 'node:url'
import express from 'express'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../../test/support/chromium.ts'
import { createSinglePageApp } from '../src/single-page.ts'
import { type Running, start } from './support.ts'

const script = fileURLToPath(new URL('../src/single-page-client.js', import.meta.url))

let chromium: Awaited<ReturnType<typeof launchChromium>>
let site: Running
beforeAll(async () => {
  chromium = await launchChromium()
})
afterEach(() => site.close())
afterAll(() => chromium.close())

const PAGE = `<!doctype html><title>Orders</title><p></p><script type="module">
  import { callApi, currentUser } from '/client.js'
  const user = await currentUser()
  const answer = await callApi('/api/orders')
  if (user) document.querySelector('p').textContent = user.email + ' ' + JSON.stringify(answer)
</script>`

test('a page without a session logs in, comes back, and reads the API', async () => {
  site = await start((connection) => {
    const app = express()
    app.get('/client.js', (_req, res) => res.sendFile(script))
    app.get('/orders', (_req, res) => void res.send(PAGE))
    return app.use(createSinglePageApp(connection))
  })
  site.provider.user = { sub: 'ada', email: 'ada@example.com' }
  const page = await chromium.newPage()
  await page.goto(`${site.url}/orders?year=2026`)

  await page.getByText('ada@example.com {"orders":[],"for":"ada"}').waitFor()
  expect(page.url()).toBe(`${site.url}/orders?year=2026`)
  await page.close()
})
