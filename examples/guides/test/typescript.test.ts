import { afterEach, expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { createTypedApp } from '../src/typescript.ts'
import { type Running, start } from './support.ts'

let site: Running
afterEach(() => site.close())

test('the claims that the application typed are those of the user', async () => {
  site = await start(createTypedApp)
  site.provider.user = { sub: 'ada', email: 'ada@example.com', plan: 'gold' }
  const browser = createBrowser()
  const plan = await browser.open(`${site.url}/plan`)
  expect(JSON.parse(plan.text)).toEqual({ plan: 'gold', gold: true })
  expect((await browser.open(`${site.url}/`)).text).toBe('Hello ada@example.com')
})

test('an error of the kit has its code in the error handler', async () => {
  site = await start(createTypedApp)
  const answer = await fetch(`${site.url}/token`)
  expect(await answer.json()).toEqual({ code: 'LATCHKEY_TOKEN_ABSENT' })
})
