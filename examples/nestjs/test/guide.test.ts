import { assertGuarded, type Identity, logIn, startIdentity } from '@latchkey/testing'
import type { INestApplication } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppModule } from '../src/guide/app.module.ts'
import { ShopModule } from '../src/guide/more.ts'

let identity: Identity
const apps: INestApplication[] = []
beforeAll(async () => {
  identity = await startIdentity({ listen: true })
  const { issuer, clientId, clientSecret, baseUrl } = identity.clientOptions()
  Object.assign(process.env, {
    LATCHKEY_ISSUER: issuer,
    LATCHKEY_CLIENT_ID: clientId,
    LATCHKEY_CLIENT_SECRET: clientSecret,
    LATCHKEY_BASE_URL: baseUrl,
    LATCHKEY_SESSION_SECRET: 'a secret of the guides with 32 characters',
  })
})
afterAll(async () => {
  for (const app of apps) await app.close()
  await identity.close()
})

test('the application of the guide logs a user in, with settings from the environment alone', async () => {
  const app = await start(AppModule)
  const browser = await logIn(app, await identity.createUser({ email: 'ada@example.com' }))

  expect((await browser.get('/account')).text).toBe('Logged in as ada@example.com')
  expect((await browser.get('/')).text).toContain('Log out')
  expect((await browser.get('/')).headers['content-type']).toContain('text/html')
})

test('every handler of the guide that is not public is guarded', async () => {
  const app = await start(AppModule)
  expect((await assertGuarded(app, { public: ['/'] })).guarded).toEqual(['GET /account'])
})

test('the other handlers of the guide do what it says', async () => {
  const app = await start(ShopModule)
  const browser = await logIn(app, await identity.createUser())

  expect((await browser.get('/articles')).status).toBe(403)
  expect((await browser.post('/cart')).text).toBe('1 in the cart')
  expect((await browser.post('/cart')).text).toBe('2 in the cart')
  expect((await browser.get('/ready')).text).toBe('ready')
})

async function start(module: object): Promise<INestApplication> {
  const testing = await Test.createTestingModule({ imports: [module as never] }).compile()
  const app = testing.createNestApplication({ logger: false })
  apps.push(app)
  await app.init()
  return app
}
