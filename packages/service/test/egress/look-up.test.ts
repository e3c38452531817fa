import { pbkdf2 } from 'node:crypto'
import { createSocket } from 'node:dgram'
import dns from 'node:dns'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import dnsPacket from 'dns-packet'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { lookUp } from '../../src/egress/look-up.ts'
import { createOutgoing } from '../../src/egress/outgoing.ts'
import { createClientDocuments } from '../../src/issuer/provider/clients/client-documents.ts'

/** A name server that knows some names, and never answers for others. Answers with the names it was asked for. */
async function startNameServer(
  zone: Record<string, string[]> | ((name: string, times: number) => string[]),
) {
  const asked = Object.assign(new Set<string>(), { times: new Map<string, number>() })
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const { id = 0, questions = [] } = dnsPacket.decode(message)
    const { name = '', type = 'A' } = questions[0] ?? {}
    asked.add(name)
    const times = (asked.times.get(`${name} ${type}`) ?? 0) + 1
    asked.times.set(`${name} ${type}`, times)
    const addresses = typeof zone === 'function' ? zone(name, times) : zone[name]
    if (!addresses) return
    const of = addresses.filter((address) => address.includes(':') === (type === 'AAAA'))
    const answers = of.map((data) => ({ type: type as 'A' | 'AAAA', name, data, ttl: 0 }))
    const flags = dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE
    socket.send(
      dnsPacket.encode({ type: 'response', id, flags, questions, answers }),
      from.port,
      from.address,
    )
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const before = dns.getServers()
  dns.setServers([`127.0.0.1:${socket.address().port}`])
  onTestFinished(() => {
    dns.setServers(before)
    socket.close()
  })
  return asked
}

/** Sends to a host on behalf of a tenant without developer mode. */
function startSending() {
  const outgoing = createOutgoing({
    domain: {
      ...{ store: { tenants: { get: async () => undefined } }, domains: {} },
      allowDeveloperMode: false,
    } as never,
    allowHttpOnLoopback: false,
  })
  onTestFinished(() => outgoing.close())
  return (host: string) =>
    outgoing.forTenant('ten_x')(`https://${host}/`, { method: 'POST' } as never)
}

const notPublic = { error_description: expect.stringContaining('public internet') }

/** Reads a client metadata document on behalf of a tenant without developer mode. */
async function readDocument(url: string): Promise<Response> {
  const outgoing = createOutgoing({
    domain: {
      ...{ store: { tenants: { get: async () => undefined } }, domains: {} },
      allowDeveloperMode: false,
    } as never,
    allowHttpOnLoopback: false,
  })
  onTestFinished(() => outgoing.close())
  const logger = { warn: () => {} }
  const documents = createClientDocuments({ clock: systemClock, outgoing, logger })
  return documents.reading('ten_x')(url, undefined as never)
}

test('names that hang in the DNS delay no password, no file and no other name', async () => {
  const asked = await startNameServer({ 'inside.example': ['10.0.0.1'] })
  const send = startSending()
  const names = Array.from({ length: 50 }, (_, n) => `hanging-${n}.example`)
  let ended = 0
  const hanging = names.map((name) =>
    send(name)
      .catch(() => {})
      .finally(() => ended++),
  )
  // All at a time, not as many as there are threads.
  await vi.waitFor(() => expect(names.filter((name) => asked.has(name))).toHaveLength(50))
  await promisify(pbkdf2)('password', 'salt', 1_000, 32, 'sha256')
  await readFile(import.meta.filename)
  await expect(send('inside.example')).rejects.toMatchObject({ name: 'RefusedAddress' })
  expect(ended).toBe(0)
  await Promise.all(hanging)
})

test.each([
  ['a private address', ['10.0.0.1']],
  ['a private address beside a public one', ['93.184.215.14', '192.168.0.1']],
  ['a private IPv6 address beside a public IPv4 one', ['93.184.215.14', 'fd00::1']],
])('nothing is sent to a name with %s', async (_, addresses) => {
  await startNameServer({ 'changing.example': addresses })
  await expect(startSending()('changing.example')).rejects.toMatchObject({ name: 'RefusedAddress' })
})

test.each([
  ['this machine, written as IPv6', ['::ffff:127.0.0.1']],
  ['this machine beside a public address', ['93.184.215.14', '::ffff:127.0.0.1']],
  ['addresses of machines in a cloud', ['169.254.169.254']],
])('A3: no document is read at a name that leads to %s', async (_, addresses) => {
  await startNameServer({ 'agent.example': addresses })
  await expect(readDocument('https://agent.example/client.json')).rejects.toMatchObject(notPublic)
})

test('A3: a name that changes its address after the look gains nothing: its connection is made by that one look', async () => {
  const asked = await startNameServer((_, times) => [times === 1 ? '10.0.0.1' : '93.184.215.14'])
  await expect(readDocument('https://agent.example/client.json')).rejects.toMatchObject(notPublic)
  expect(asked.times.get('agent.example A')).toBe(1)
})

test('nothing is sent to a name for which the DNS has no address', async () => {
  await startNameServer({ 'empty.example': [] })
  await expect(lookUp('empty.example')).rejects.toThrow()
  await expect(startSending()('empty.example')).rejects.toMatchObject({ code: 'ENODATA' })
})
