import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { createApp, createCaller } from '../src/bearer.ts'
import { type Running, start } from './support.ts'

let site: Running
beforeAll(async () => {
  site = await start(createApp)
})
afterAll(() => site.close())

test('a program writes a note with its token, and the user reads it on the page', async () => {
  const post = (scope: string): Promise<Response> =>
    fetch(`${site.url}/api/notes`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${site.provider.accessToken({ sub: 'ada', scope })}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ text: 'Call the bank' }),
    })
  expect((await post('notes:read')).status).toBe(403)
  expect((await post('notes:write')).status).toBe(201)

  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  expect((await browser.open(`${site.url}/api/notes`)).text).toBe('{"notes":["Call the bank"]}')
})

test('an application asks for a token for the API at its login and at the token endpoint, and sends it along', async () => {
  const caller = await start((connection) => createCaller(connection, site.url))
  const browser = createBrowser()
  await browser.open(`${caller.url}/login`)
  const { requests } = caller.provider
  const asked = requests.filter(({ path }) => path === '/auth' || path === '/token')
  const resources = asked.map(({ query, body }) => query.get('resource') ?? body.get('resource'))
  expect(resources).toEqual(['https://api.example', 'https://api.example'])
  // The provider of this test issues tokens of its own kind, which the API refuses.
  expect((await browser.open(`${caller.url}/notes`)).text).toContain('LATCHKEY_BEARER_INVALID')
  await caller.close()
})
