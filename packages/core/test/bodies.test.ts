import { createAuth } from '@latchkey/core'
import { expect, test } from 'vitest'

const baseUrl = 'https://app.example.com'
const options = {
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'secret',
  baseUrl,
  session: { secret: 'x'.repeat(32) },
}
const auth = createAuth({ ...options, logger: false })

/** A body that never ends; `read` counts the bytes that were taken of it. */
function endless(): { stream: ReadableStream<Uint8Array>; read(): number; isCancelled(): boolean } {
  let bytes = 0
  let cancelled = false
  const chunk = new Uint8Array(16_384).fill(120)
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        bytes += chunk.length
        controller.enqueue(chunk)
      },
      cancel() {
        cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, read: () => bytes, isCancelled: () => cancelled }
}

async function post(path: string, init: RequestInit): Promise<number | undefined> {
  const request = new Request(baseUrl + path, { method: 'POST', duplex: 'half', ...init } as object)
  return (await auth.visit(request, new Headers())).answer?.status
}

test.each(['/backchannel-logout', '/callback'])(
  'reading an endless body of a web Request at %s stops after 64 KiB',
  async (path) => {
    const body = endless()

    expect(await post(path, { body: body.stream })).toBe(413)
    expect(body.read()).toBeLessThan(100_000)
    expect(body.isCancelled()).toBe(true)
  },
)

test('a body that announces more than 64 KiB is not read at all', async () => {
  const body = endless()

  const headers = { 'content-length': '300000000' }
  expect(await post('/callback', { body: body.stream, headers })).toBe(413)
  expect(body.read()).toBe(0)
})

test('a body of 64 KiB is read', async () => {
  const body = `logout_token=${'x'.repeat(65_536 - 13)}`

  expect(await post('/backchannel-logout', { body })).toBe(400)
})

test('a body that an adapter passes as text has the same limit', async () => {
  const request = {
    method: 'POST',
    url: `${baseUrl}/callback`,
    headers: new Headers(),
    text: async () => 'x'.repeat(65_537),
  }

  expect((await auth.visit(request, new Headers())).answer?.status).toBe(413)
})

test('a web Request whose body was read before gets an error that says so', async () => {
  const lines: string[] = []
  const log = (line: string): void => void lines.push(line)
  const logger = { info: log, warn: log, error: log, log }
  const logged = createAuth({ ...options, logger })
  const request = new Request(`${baseUrl}/callback`, { method: 'POST', body: 'state=x' })
  await request.text()

  const { answer } = await logged.visit(request, new Headers())

  expect(answer?.status).toBe(500)
  expect(lines.join()).toContain('The body was read before the request came here')
})
