import { afterEach, expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { withNewDevices } from '../src/devices.ts'
import { type Running, start } from './support.ts'

let site: Running
afterEach(() => site.close())

test('a user is told of a login in a new browser, once', async () => {
  const mails: unknown[] = []
  site = await start((connection) =>
    withNewDevices(connection, async (to, text) => void mails.push([to, text])),
  )
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  await browser.open(`${site.url}/login`)
  expect(mails).toEqual([
    ['ada@example.com', 'There was a login to your account with an unknown browser.'],
  ])
})
