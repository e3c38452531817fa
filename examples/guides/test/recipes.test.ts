import { type Identity, logIn, startIdentity, type TestableApp } from '@latchkey/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app as elysia } from '../src/recipes/elysia.ts'
import { app as h3 } from '../src/recipes/h3.ts'
import { app as itty } from '../src/recipes/itty-router.ts'
import { createApp as createRestify } from '../src/recipes/restify.ts'
import { withLogin } from '../src/recipes/with-login.ts'

let identity: Identity
beforeAll(async () => {
  identity = await startIdentity()
})
afterAll(() => identity?.close())

const recipes: readonly [name: string, create: () => TestableApp][] = [
  ['h3', () => withLogin(h3, identity.clientOptions())],
  ['Elysia', () => withLogin(elysia, identity.clientOptions())],
  ['itty-router', () => withLogin(itty, identity.clientOptions())],
  ['Restify', () => createRestify(identity.clientOptions()).server],
]

test.for(recipes)(
  'the recipe for %s logs a user in, refuses a visitor and logs out',
  async ([, create]) => {
    const app = create()
    const browser = await logIn(
      app,
      await identity.createUser({ email: `${Math.random()}@example.com` }),
    )
    expect((await browser.get('/')).text).toContain('Welcome back')
    const account = await browser.get('/account')
    expect(account.text).toContain('Logged in as ')
    expect(account.headers['cache-control']).toBe('private, no-store')
    await browser.post('/logout').set('origin', 'http://localhost:3000')
    expect((await browser.get('/account')).status).toBe(401)
    expect((await browser.get('/nowhere')).status).toBe(404)
  },
)
