import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns'
import { once } from 'node:events'
import type { LookupFunction } from 'node:net'

/** A name server on a loopback port that knows a few names, and a look-up that asks it. */
export interface TestNameServer {
  /** What a name leads to from now on; each question takes one list, the last one stays. */
  readonly names: Map<string, string[][]>
  /** Every name that was asked for. */
  readonly asked: string[]
  readonly lookup: LookupFunction
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts one. */
export async function startNameServer(): Promise<TestNameServer> {
  const socket = createSocket('udp4')
  const names: TestNameServer['names'] = new Map()
  const asked: string[] = []
  socket.on('message', (question, from) => {
    const name = nameOf(question)
    asked.push(name)
    const lists = names.get(name) ?? []
    const addresses = (lists.length > 1 ? lists.shift() : lists[0]) ?? []
    socket.send(answerTo(question, addresses), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver({ timeout: 2000, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    names,
    asked,
    lookup(hostname, _options, callback) {
      resolver.resolve4(hostname, (error, found = []) => {
        callback(
          error,
          found.map((address) => ({ address, family: 4 })),
        )
      })
    },
    async [Symbol.asyncDispose]() {
      resolver.cancel()
      socket.close()
    },
  }
}

const HEADER_BYTES = 12

/** The name asked for (RFC 1035 §4.1.2). */
function nameOf(question: Buffer): string {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return labels.join('.')
}

/** Addresses that may be kept for no second (RFC 1035 §4.1.3). */
function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const end = HEADER_BYTES + nameOf(question).length + 2 + 4
  const header = Buffer.from(question.subarray(0, HEADER_BYTES))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(addresses.length, 6)
  header.writeUInt32BE(0, 8)
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([header, question.subarray(HEADER_BYTES, end), ...records])
}
