import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { type Running, start } from './support.ts'

let site: Running
beforeAll(async () => {
  site = await start(async ({ issuer, clientId, clientSecret, baseUrl, session }) => {
    Object.assign(process.env, {
      LATCHKEY_ISSUER: issuer,
      LATCHKEY_CLIENT_ID: clientId,
      LATCHKEY_CLIENT_SECRET: clientSecret,
      LATCHKEY_BASE_URL: baseUrl,
      LATCHKEY_SESSION_SECRET: session.secret,
    })
    return (await import('../src/ten-lines.ts')).app
  })
})
afterAll(() => site.close())

test('the ten lines of the README are an application that users can log in to', async () => {
  site.provider.user = { sub: 'ada', name: 'Ada' }
  const { text } = await createBrowser().open(`${site.url}/account`)
  expect(JSON.parse(text)).toMatchObject({ sub: 'ada', name: 'Ada' })
})
