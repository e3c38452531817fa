import { afterEach, expect, test, vi } from 'vitest'
import { createApp } from '../examples/guides/src/providers.ts'
import { type Emulation, emulate } from './vendors/emulate.ts'
import { refused } from './vendors/refused-vendors.ts'
import { working } from './vendors/working-vendors.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('an application takes the options of a page, and all others from the environment', () => {
  vi.stubEnv('LATCHKEY_CLIENT_ID', 'shop')
  vi.stubEnv('LATCHKEY_CLIENT_SECRET', 'a secret of the provider')
  vi.stubEnv('LATCHKEY_BASE_URL', 'http://localhost:3000')
  vi.stubEnv('LATCHKEY_SESSION_SECRET', 'a secret of the guides with 32 characters')
  expect(createApp).not.toThrow()
})

test.for(working)('$name logs in with the options of its page', async (vendor) => {
  await using emulation = await emulate(vendor)

  await emulation.logIn()

  expect(emulation.errors).toEqual([])
  expect(JSON.parse(emulation.visitor.text)).toMatchObject(vendor.user ?? {})
  const { origin, pathname, searchParams } = emulation.request()
  expect(origin + pathname).toBe(vendor.metadata.authorization_endpoint)
  expect(Object.fromEntries(searchParams)).toMatchObject(vendor.request ?? {})
})

test.for(working.filter(({ role }) => role))(
  'requireUser({ roles }) finds the roles that $name sends',
  async (vendor) => {
    await using emulation = await emulate(vendor)
    await emulation.logIn()

    await emulation.visitor.open('https://app.example.com/role')

    expect(emulation.visitor.text).toBe('admitted')
  },
)

test.for(working)('$name is sent the client secret as it wants it', async (vendor) => {
  await using emulation = await emulate(vendor)

  await emulation.logIn()

  const request = emulation.provider.requests.findLast(({ path }) => path === '/token')
  expect(request?.body.has('client_secret')).toBe(vendor.clientAuth === 'post')
  expect(request?.body.get('client_secret') ?? '').toMatch(vendor.clientSecret ?? /^/)
  expect(request?.authorization?.startsWith('Basic ') ?? false).toBe(vendor.clientAuth === 'basic')
})

test.for(working.filter(({ logout }) => logout))(
  'logging out leads to the log-out of $name, with what it reads',
  async (vendor) => {
    await using emulation = await emulate(vendor)
    await emulation.logIn()

    const location = await emulation.logOut()

    expect(location.origin + location.pathname).toBe(vendor.logout?.endpoint)
    for (const name of vendor.logout?.parameters ?? []) {
      expect(location.searchParams.get(name), name).toBeTruthy()
    }
    for (const name of vendor.logout?.leftOut ?? []) {
      expect(location.searchParams.has(name), name).toBe(false)
    }
  },
)

test.for(working.filter(({ logout }) => !logout))(
  'logging out of an application of $name ends its own session alone',
  async (vendor) => {
    await using emulation = await emulate(vendor)
    await emulation.logIn()

    expect((await emulation.logOut()).href).toBe('https://app.example.com/')
    expect(await statusOfProfile(emulation)).toBe(401)
  },
)

test.for(working.filter(({ hasBackchannelLogout }) => hasBackchannelLogout))(
  'a logout token of $name ends the session of the application',
  async (vendor) => {
    await using emulation = await emulate(vendor)
    await emulation.logIn()
    const [sid] = emulation.provider.issuedSids()
    const token = emulation.provider.logoutToken({ iss: vendor.metadata.issuer, sid })

    const answer = await emulation.visitor.send('https://app.example.com/backchannel-logout', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    })

    expect(answer.status).toBe(200)
    expect(await statusOfProfile(emulation)).toBe(401)
  },
)

test.for(refused)('$name is refused, and the error says why', async (vendor) => {
  await using emulation = await emulate(vendor)

  await emulation.logIn()

  const [error] = emulation.errors
  expect(error).toMatchObject({ code: vendor.refused?.code })
  expect(`${error?.message} ${error?.remedy}`).toMatch(vendor.refused?.says ?? /^$/)
})

async function statusOfProfile({ visitor }: Emulation): Promise<number> {
  const url = 'https://app.example.com/profile'
  return (await visitor.send(url, { headers: { accept: 'application/json' } })).status
}
