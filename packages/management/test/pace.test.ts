import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Fetch } from '@latchkey/management'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpFetch } from '../src/cli/http-fetch.ts'
import { createPace } from '../src/import/run/pace.ts'
import { resolveOptions } from '../src/options.ts'
import { createSend } from '../src/request.ts'

/** A server that never sends a response, or one with status 429 to its first request. */
async function startSilent(isBusyAtFirst = false): Promise<string> {
  let requests = 0
  const server = createServer((_, response) => {
    if (requests++ === 0 && isBusyAtFirst) response.writeHead(429, { 'retry-after': '1' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([
  ['the highest rate', 5, false],
  ['a response with status 429', undefined, true],
])('a request that waited for %s has its whole timeout from then on', async (_, most, isBusy) => {
  const baseUrl = await startSilent(isBusy)
  const timeoutSeconds = 0.1
  const http = createHttpFetch()
  const wereLate: boolean[] = []
  const fetch: Fetch = (url, init) => {
    wereLate.push(init.signal.aborted)
    return http(url, init)
  }
  const pace = createPace(fetch, { timeoutSeconds, most })
  const options = { baseUrl, apiKey: 'k', fetch: pace.fetch, timeoutSeconds, retries: 0 }
  const send = createSend(resolveOptions(options))
  const get = () => send({ method: 'GET', path: '/', isRepeatable: true })
  if (isBusy) await expect(get()).rejects.toMatchObject({ status: 429 })
  const timeout = { code: 'LATCHKEY_TIMEOUT' }
  await Promise.all([get(), get()].map((one) => expect(one).rejects.toMatchObject(timeout)))
  expect(wereLate).not.toContain(true)
})

test('a request whose time is over before it begins is not sent', async () => {
  const url = await startSilent()
  const signal = AbortSignal.abort(new Error('too late'))
  const sent = createHttpFetch()(url, { method: 'GET', headers: {}, body: null, signal })
  await expect(sent).rejects.toThrow('too late')
})
