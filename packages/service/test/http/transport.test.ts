import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startApi } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

/** What a server answers to these very bytes, until it closes the connection. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

test('headers or an address beyond 16 KiB are refused with request_too_large', async () => {
  await using api = await startApi()

  const headers = await api.get(api.users, { 'x-long': 'x'.repeat(20_000) })
  expectError(headers, 413, 'request_too_large')
  expectError(await api.get(`${api.users}/${'x'.repeat(20_000)}`), 413, 'request_too_large')
  expect((await api.get(api.users)).status).toBe(200)
})

test('what is not HTTP is answered with an Error object as well, and the connection ends', async () => {
  await using api = await startApi()
  const { port } = await api.service.listen()

  const answer = await exchange(port, 'HELLO?\r\n\r\n')

  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  const error = JSON.parse(body)
  expect(error).toEqual({
    type: 'Error',
    uuid: expect.any(String),
    code: 'invalid_request',
    status_code: 400,
  })
  expect(head).toContain(`request-id: ${error.uuid}`)
})

test('over a socket, the service answers as it does without one', async () => {
  await using api = await startApi()
  const { port } = await api.service.listen()
  const headers = { authorization: `Bearer ${api.key}` }

  const response = await fetch(`http://127.0.0.1:${port}${api.tenant}`, { headers })

  expect(await response.json()).toEqual((await api.get(api.tenant)).body)
})

test('a body that ends before its announced length changes nothing', async () => {
  await using api = await startApi()
  const { port } = await api.service.listen()
  const body = '{"profile":{"email":"ada@example.com"}}'
  const request = [
    `POST ${api.users} HTTP/1.1`,
    'host: api.example',
    `authorization: Bearer ${api.key}`,
    'content-type: application/json',
    `content-length: ${body.length + 1}`,
  ].join('\r\n')

  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.end(`${request}\r\n\r\n${body}`)
    })
    socket
      .resume()
      .on('error', () => {})
      .on('close', () => resolve())
  })

  expect((await api.get(api.users)).body.total).toBe(0)
})
