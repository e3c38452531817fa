import { createServer } from 'node:net'
import { createAuth } from '@latchkey/core'
import { createSessionStore } from '@latchkey/session-store'
import { expect, test } from 'vitest'
import { startRedis } from './support/redis.ts'

/** Keeps the process from doing anything else, as loading modules does at a cold start. */
function block(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

const secret = 'a secret of tests that protects nothing'

test('a first command is answered though the process was blocked for longer than it may take', async () => {
  await using redis = await startRedis()
  const store = createSessionStore({ url: redis.url, secret })

  const answer = store.get('nobody')
  block(1500)

  expect(await answer).toBeUndefined()
  await store.close()
})

test('the deadline of the kit for a store does not count the time in which the process was blocked', async () => {
  await using redis = await startRedis()
  const store = createSessionStore({ url: redis.url, timeoutMilliseconds: 60_000 })
  const issuer = 'https://login.example.com'
  const auth = createAuth({
    ...{ issuer, clientId: 'app', clientSecret: 'secret', baseUrl: 'https://app.example.com' },
    metadata: {
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    },
    ...{ answerSeconds: 1, logger: false, session: { secret, store } },
  })

  const ready = auth.ready()
  block(1500)

  await ready
  await store.close()
})

test('a Redis that never answers is refused, though the process was blocked', async () => {
  const server = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const store = createSessionStore({ url: `redis://127.0.0.1:${port}`, secret })

  const answer = store.get('nobody').catch((error: unknown) => error)
  block(500)

  expect(await answer).toMatchObject({ code: 'LATCHKEY_SESSION_UNAVAILABLE' })
  await store.close()
  server.close()
})
