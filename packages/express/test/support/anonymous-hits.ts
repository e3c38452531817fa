import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { json } from 'node:stream/consumers'
import { getHeapSnapshot } from 'node:v8'
import type { SessionStore } from '@latchkey/core'
import { createAuthRouter, requireUser } from '@latchkey/express'
import express from 'express'

// A process of its own, whose heap is looked at: an application is hit by visitors who are not signed
// in, each at another address with other cookies, and tells what that left behind.

const rounds = process.argv.slice(2).map(Number)
const issuer = 'https://login.example.com'
const discovered = {
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
}
let written = 0
const write = (): void => {
  written++
}
const store: SessionStore = {
  get: () => undefined,
  set: write,
  update: () => 'ended',
  touch: write,
  destroy: write,
}

const app = express()
const server = createServer(app)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
app.use(
  createAuthRouter({
    issuer,
    clientId: 'app',
    clientSecret: 'a client secret of the tests',
    baseUrl: `http://127.0.0.1:${port}`,
    session: { secret: 'a session secret of the tests, long enough', store },
    fetch: async () => Response.json(discovered),
  }),
)
app.get('/page', requireUser({ respond: 'redirect' }))

const statuses: Record<string, number> = {}
let count = 0

function requestText(): string {
  const n = count++
  const path = n % 2 === 0 ? `/login?returnTo=/${n}` : `/page?n=${n}`
  const cookie = `latchkey=${n}-${'x'.repeat(40)}.${'y'.repeat(43)}; latchkey.login.${n}=${n}`
  return `GET ${path} HTTP/1.1\r\nhost: app\r\ncookie: ${cookie}\r\nuser-agent: visitor ${n}\r\n\r\n`
}

/** Sends requests one behind the other on one connection, and waits for every answer. */
async function run(times: number): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  let answers = 0
  let rest = ''
  const done = new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const status = /^HTTP\/1\.1 (\d{3})/.exec(line)?.[1]
        if (!status) continue
        statuses[status] = (statuses[status] ?? 0) + 1
        if (++answers === times) resolve()
      }
    })
  })
  for (let sent = 0; sent < times; sent += 100) {
    if (!socket.write(Array.from({ length: 100 }, requestText).join(''))) {
      await new Promise((resolve) => socket.once('drain', resolve))
    }
  }
  await done
  socket.destroy()
  return bytesOfData()
}

const DATA = ['object', 'array', 'string', 'closure', 'concatenated string', 'sliced string']

/**
 * Bytes of what the heap holds for the program, once everything that can go has gone. The heap as a
 * whole also grows and shrinks with the code that is compiled meanwhile.
 */
async function bytesOfData(): Promise<number> {
  const { snapshot, nodes } = (await json(getHeapSnapshot())) as HeapSnapshot
  const { node_fields: fields, node_types: types } = snapshot.meta
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')]
  const counted = new Set(DATA.map((name) => types[0].indexOf(name)))
  let sum = 0
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (counted.has(nodes[at + type] ?? -1)) sum += nodes[at + size] ?? 0
  }
  return sum
}

interface HeapSnapshot {
  readonly snapshot: { readonly meta: { node_fields: string[]; node_types: [string[]] } }
  readonly nodes: number[]
}

const heaps: number[] = []
for (const hits of rounds) heaps.push(await run(hits))
process.send?.({ statuses, written, heaps })
process.disconnect()
server.close()
