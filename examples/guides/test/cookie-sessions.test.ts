import { expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { createApp } from '../src/cookie-sessions.ts'
import { start } from './support.ts'

test('a site without a session store keeps a session without tokens in one small cookie', async () => {
  const site = await start(createApp)
  const browser = createBrowser()
  expect((await browser.open(`${site.url}/account`)).text).toBe('Hello ada')
  const [cookie] = [...browser.cookies.values()]
  expect(cookie?.value.length).toBeLessThan(1000)
  await site.close()
})
