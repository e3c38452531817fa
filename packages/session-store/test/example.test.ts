import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startRedis } from './support/redis.ts'

test('express-session without the kit can use the store, and Redis sees no session data in clear text', async () => {
  await using redis = await startRedis()
  process.env.REDIS_URL = redis.url
  const { app } = await import('./support/example.ts')
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  const first = await fetch(url)
  const [cookie = ''] = first.headers.getSetCookie()
  // express-session sends the headers before it saves, and ends the body after.
  const before = await first.text()
  const second = await fetch(url, { headers: { cookie: cookie.split(';')[0] as string } })

  expect([before, await second.text()]).toEqual(['Visit 1', 'Visit 2'])
  const keys = await redis.inspect((r) => r.keys('*'))
  expect(keys).toHaveLength(1)
  const value = await redis.inspect((r) => r.getBuffer(keys[0] as string))
  expect(value?.toString('latin1')).not.toContain('visits')
  server.close()
  server.closeAllConnections()
})
