import { createSocket } from 'node:dgram'
import dns from 'node:dns'
import dnsPacket from 'dns-packet'
import { expect, onTestFinished, test } from 'vitest'
import { startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

/** The answer to a question for the TXT records of a name: the records, or a code such as `SERVFAIL`. */
type Zone = Record<string, string[] | 'SERVFAIL'>

/** Serves a zone over DNS on this machine, and has this process ask there. */
async function serveZone(): Promise<Zone> {
  const zone: Zone = {}
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const { id = 0, questions = [] } = dnsPacket.decode(message)
    const name = questions[0]?.name ?? ''
    const found = zone[name.toLowerCase()] ?? []
    const rcode = found === 'SERVFAIL' ? 2 : found.length === 0 ? 3 : 0
    const answer = dnsPacket.encode({
      type: 'response',
      id,
      flags: dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | rcode,
      questions,
      answers:
        found === 'SERVFAIL' ? [] : found.map((data) => ({ type: 'TXT', name, data, ttl: 0 })),
    })
    socket.send(answer, from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const before = dns.getServers()
  dns.setServers([`127.0.0.1:${socket.address().port}`])
  onTestFinished(() => {
    dns.setServers(before)
    socket.close()
  })
  return zone
}

test.each(stores)(
  'on %s, with domainVerification dns a key moves a tenant only where the DNS names it',
  async (store) => {
    const zone = await serveZone()
    await using api = await startApi(store, { domainVerification: 'dns' })
    const body = { settings: { domain: 'login.corp.test:8443' } }

    const unproven = await api.post(api.tenant, body)
    expectError(unproven, 400, 'invalid_request')
    const detail = unproven.headers.get('latchkey-error-detail')
    expect(detail).toContain('_latchkey.login.corp.test')
    expect(detail).toContain(`latchkey-tenant=${api.tenantId}`)

    zone['_latchkey.login.corp.test'] = ['latchkey-tenant=ten_another', 'v=spf1 -all']
    expectError(await api.post(api.tenant, body), 400, 'invalid_request')

    zone['_latchkey.login.corp.test'].push(`latchkey-tenant=${api.tenantId}`)
    const moved = await api.post(api.tenant, body)
    expect(moved.body.settings.domain).toBe('login.corp.test:8443')
  },
)

test('with domainVerification dns, a tenant that stays at its domain needs no record', async () => {
  await serveZone()
  await using api = await startApi('memory', { domainVerification: 'dns' })

  const { body } = await api.post(api.tenant, { name: 'New', settings: { domain: 'ACME.example' } })

  expect(body).toMatchObject({ name: 'New', settings: { domain: 'acme.example' } })
})

test('with domainVerification dns, the operator creates tenants without a record', async () => {
  await serveZone()
  await using api = await startApi('memory', { domainVerification: 'dns' })

  const tenant = await api.service.admin.createTenant({ domain: 'other.example' })

  expect(tenant.settings.domain).toBe('other.example')
})

test('when the DNS fails, a move to another domain answers 503 and can be tried again', async () => {
  const zone = await serveZone()
  zone['_latchkey.login.corp.test'] = 'SERVFAIL'
  await using api = await startApi('memory', { domainVerification: 'dns' })

  const answer = await api.post(api.tenant, { settings: { domain: 'login.corp.test' } })

  expectError(answer, 503, 'unavailable')
  expect(answer.headers.get('retry-after')).toBe('30')
})

test('the option domainVerification is "none" or "dns"', async () => {
  const wrong = { domainVerification: 'txt' as 'dns' }

  await expect(startApi('memory', wrong)).rejects.toThrow(
    /"domainVerification" must be "none" or "dns"/,
  )
})
