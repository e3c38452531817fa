import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { sendLines } from '../../src/wire/json-lines.ts'

test('a long download leaves no listeners on its response, however often the client is waited for', async () => {
  const counts: number[] = []
  const line = { text: 'x'.repeat(500_000) }
  const server = createServer((_, res) => {
    const read = async (after = '0') => {
      counts.push(res.listenerCount('close'))
      const n = Number(after) + 1
      return { items: [line], next: n < 30 ? String(n) : undefined }
    }
    void sendLines(res, read, undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    expect((await answer.text()).trim().split('\n')).toHaveLength(30)
  } finally {
    server.close()
  }
  expect(counts).toHaveLength(30)
  expect(new Set(counts).size).toBeLessThanOrEqual(2)
})
