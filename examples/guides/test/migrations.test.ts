import { afterEach, expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { fromOtherParts } from '../src/express-openid-connect.ts'
import {
  fromAuthJs,
  fromBearerOnly,
  fromBetterAuth,
  fromClerk,
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

test('an application moved from express-openid-connect guards all routes below a path, and by a claim', async () => {
  site = await start(fromExpressOpenidConnect)
  expect(await open('/', {})).toBe('Logged out')
  expect(await open('/admin', { sub: 'ada', role: 'admin' })).toContain('claimEquals')
  expect(await open('/admin', { sub: 'bob', role: 'guest' })).toBe('403')
  expect(await open('/anything', { sub: 'bob' })).toBe('404')
})

test('each part of express-openid-connect has its counterpart', async () => {
  const plan = async (token: string): Promise<string> => (token ? 'gold' : 'free')
  site = await start((connection) => fromOtherParts(connection, plan))
  const ada = {
    sub: 'ada',
    email_verified: true,
    permissions: 'read write',
    team: 'red',
    auth_time: Math.floor(Date.now() / 1000),
  }
  expect(await open('/invite', ada)).toBe('Invited')
  expect(await open('/invite', { sub: 'bob', email_verified: false })).toBe('403')
  expect(await open('/notes', ada)).toBe('Notes')
  expect(await open('/notes', { ...ada, permissions: ['write', 'read', 'list'] })).toBe('Notes')
  expect(await open('/notes', { ...ada, permissions: ['read'] })).toBe('403')
  expect(await open('/notes', { ...ada, permissions: undefined })).toBe('403')
  expect(await open('/teams/red', ada)).toBe('Team red')
  expect(await open('/teams/blue', ada)).toBe('403')
  expect(JSON.parse(await open('/join?coupon=spring', ada))).toEqual({
    coupon: 'spring',
    plan: 'gold',
  })
})

test('an error handler of express-openid-connect becomes the hook onError', async () => {
  site = await start((connection) => fromOtherParts(connection, async () => 'free'))
  const browser = createBrowser()
  site.provider.user = { sub: 'mallory', email_verified: false }
  const { response, text } = await browser.open(`${site.url}/invite`)
  expect({ status: response.status, text }).toEqual({
    status: 403,
    text: '<h1>Please confirm your address first</h1>',
  })
})

test('an application moved from passport-openidconnect has the user that its verify function made', async () => {
  site = await start(fromPassportOpenidconnect)
  const user = JSON.parse(await open('/profile', { sub: 'ada', email: 'ada@example.com' }))
  expect(user).toMatchObject({ sub: 'ada', account: { sub: 'ada' } })
})

test('an application moved from keycloak-connect requires roles of the realm and of clients', async () => {
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

test('an API that was bearer-only requires roles in the access token', async () => {
  site = await start(fromBearerOnly)
  const get = async (roles: string[]): Promise<number> => {
    const resource_access = { shop: { roles } }
    const token = site.provider.accessToken({ aud: 'shop', resource_access })
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${site.url}/api/orders`, { headers })).status
  }
  expect(await get(['clerk'])).toBe(200)
  expect(await get(['guest'])).toBe(403)
  expect((await fetch(`${site.url}/api/orders`)).status).toBe(401)
})

test('an application moved from Auth.js keeps its redirect URL, and adds the account to the user', async () => {
  site = await start(fromAuthJs)
  site.provider.user = { sub: 'ada', email: 'ada@example.com' }
  const { text, trail } = await createBrowser().open(`${site.url}/profile`)
  expect(JSON.parse(text)).toMatchObject({ sub: 'ada', account: { sub: 'ada' } })
  expect(trail.some((url) => url.startsWith(`${site.url}/auth/callback/acme?`))).toBe(true)
})

test('an application moved from Clerk requires a role', async () => {
  site = await start(fromClerk)
  expect(JSON.parse(await open('/settings', { sub: 'ada' }))).toEqual({ userId: 'ada' })
  expect(await open('/billing', { sub: 'ada', roles: ['admin'] })).toContain('org:admin')
  expect(await open('/billing', { sub: 'ada', roles: ['member'] })).toBe('403')
})

test('an application moved from better-auth answers its API with the user, or with 401', async () => {
  site = await start(fromBetterAuth)
  expect((await createBrowser().open(`${site.url}/me`)).response.status).toBe(401)
  const browser = createBrowser()
  site.provider.user = { sub: 'ada' }
  await browser.open(`${site.url}/login`)
  expect(JSON.parse((await browser.open(`${site.url}/me`)).text)).toMatchObject({ sub: 'ada' })
})
