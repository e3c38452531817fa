import { assertGuarded, type Identity, logIn, startIdentity } from '@latchkey/testing'
import type { INestApplication } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppModule } from '../src/guide/app.module.ts'
import { ShopModule } from '../src/guide/more.ts'
import { TransportsModule } from '../src/guide/transports.ts'

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

test('the resolvers of the guide are guarded, fields included', async () => {
  const app = await start(TransportsModule)
  const ask = (query: string) => browser.post('/graphql').set('origin', origin()).send({ query })
  const browser = await logIn(app, await identity.createUser({ email: 'grace@example.com' }))

  const latest = await ask('{ latest { title draft } }')
  expect(latest.body.data.latest).toEqual({ title: 'On guards', draft: 'for grace@example.com' })
  const refused = await ask('mutation { publish }')
  expect(refused.body.errors[0].extensions).toMatchObject({
    code: 'FORBIDDEN',
    latchkeyCode: 'LATCHKEY_FORBIDDEN',
  })
  expect((await assertGuarded(app, { public: ['/graphql'] })).public).not.toEqual([])
})

test('the gateway of the guide has the user, and refuses visitors', async () => {
  const app = await start(TransportsModule)
  await app.listen(0, '127.0.0.1')
  const { port } = app.getHttpServer().address()
  const browser = await logIn(app, await identity.createUser({ email: 'alan@example.com' }))
  const access = { path: '/', domain: '127.0.0.1', secure: false, script: false }
  const { jar } = browser as unknown as { jar: { getCookies(access: object): object } }
  const cookie = (jar.getCookies(access) as { toValueString(): string }).toValueString()
  const connect = (extraHeaders: Record<string, string>) =>
    io(`http://127.0.0.1:${port}`, { extraHeaders, reconnection: false, forceNew: true })

  const visitor = connect({ origin: origin() })
  const error = await new Promise((resolve) => visitor.once('connect_error', resolve))
  expect(error).toMatchObject({ message: 'LATCHKEY_LOGIN_REQUIRED' })
  const client = connect({ origin: origin(), cookie })
  await new Promise((resolve, reject) =>
    client.once('connect', resolve as never).once('connect_error', reject),
  )
  client.emit('say', {})
  expect(await new Promise((resolve) => client.once('said', resolve))).toBe('alan@example.com')
  client.emit('close', {})
  expect(await new Promise((resolve) => client.once('exception', resolve))).toMatchObject({
    code: 'LATCHKEY_FORBIDDEN',
    pattern: 'close',
  })
  client.close()
})

const origin = (): string => new URL(process.env.LATCHKEY_BASE_URL as string).origin

async function start(module: object): Promise<INestApplication> {
  const testing = await Test.createTestingModule({ imports: [module as never] }).compile()
  const app = testing.createNestApplication({ logger: false })
  apps.push(app)
  await app.init()
  return app
}
