import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createAuth, requireUser } from '@latchkey/fastify'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import fastify from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBrowser } from '../../testing/src/login/browser.ts'

const BASE = 'http://localhost:3000'

test('a session is watched until its response has ended, although the connection stays open', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const warnings: string[] = []
  const warned = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  await using provider = await startMisbehavingProvider()
  const { issuer, clientId, clientSecret } = provider
  const session = { secret: 'a secret of a test, long enough for the kit' }
  const app = fastify()
  await app.register(createAuth({ issuer, clientId, clientSecret, baseUrl: BASE, session }))
  app.get('/', { onRequest: requireUser() }, (req) => ({ isOver: req.auth.ended().aborted }))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const browser = createBrowser({ [BASE]: url })
  await browser.open(`${BASE}/`)
  const pairs = [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[1]}=${value}`)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())

  for (let count = 0; count < 11; count += 1) {
    const sent = request(url, { agent, headers: { cookie: pairs.join('; ') } })
    const [response] = await once(sent.end(), 'response')
    expect([response.statusCode, sent.reusedSocket]).toEqual([200, count > 0])
    await once(response.resume(), 'end')
  }

  await vi.waitUntil(() => vi.getTimerCount() === 0)
  expect(warnings).toEqual([])
})
