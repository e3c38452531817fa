import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { createApp } from '../src/kept-forms.ts'
import { type Running, start } from './support.ts'

let site: Running
beforeAll(async () => {
  site = await start(createApp)
})
afterAll(() => site.close())

test('a letter that was written before the login is shown after it, without the number of the card', async () => {
  const browser = createBrowser()
  const begun = await browser.send(`${site.url}/letters`, {
    method: 'POST',
    headers: {
      accept: 'text/html',
      origin: site.url,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'text=Dear+Ada&cardNumber=4242',
  })
  const { text } = await browser.open(begun.headers.get('location') ?? '')
  expect(text).toContain('Send what you wrote?')
  expect(text).toContain('Dear Ada')
  expect(text).not.toContain('4242')
})
