import { afterEach, expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import {
  fromExpressOpenidConnect,
  fromKeycloakConnect,
  fromPassportOpenidconnect,
} from '../src/migrations.ts'
import { type Running, start } from './support.ts'

let site: Running
afterEach(() => site.close())

async function open(path: string, user: Record<string, unknown>): Promise<string> {
  site.provider.user = user
  const { response, text } = await createBrowser().open(site.url + path)
  return response.ok ? text : String(response.status)
}

test('what used express-openid-connect guards everything below, and a claim', async () => {
  site = await start(fromExpressOpenidConnect)
  expect(await open('/', {})).toBe('Signed out')
  expect(await open('/admin', { sub: 'ada', role: 'admin' })).toContain('claimEquals')
  expect(await open('/admin', { sub: 'bob', role: 'guest' })).toBe('403')
  expect(await open('/anything', { sub: 'bob' })).toBe('404')
})

test('what used passport-openidconnect has the user that its verify function made', async () => {
  site = await start(fromPassportOpenidconnect)
  const user = JSON.parse(await open('/profile', { sub: 'ada', email: 'ada@example.com' }))
  expect(user).toMatchObject({ sub: 'ada', account: { sub: 'ada' } })
})

test('what used keycloak-connect asks for roles of the realm and of clients', async () => {
  site = await start(fromKeycloakConnect)
  const user = {
    sub: 'ada',
    realm_access: { roles: ['special'] },
    resource_access: { shop: { roles: ['clerk'] } },
  }
  expect(await open('/complain', { sub: 'ada' })).toContain('protect()')
  expect(await open('/special', user)).toContain('realm:special')
  expect(await open('/orders', user)).toContain('shop:clerk')
  expect(await open('/orders', { sub: 'ada', resource_access: {} })).toBe('403')
})
