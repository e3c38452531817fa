import { type AddressInfo, createServer } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterEach, expect, test, vi } from 'vitest'
import { createSmtpTransport } from '../../src/mail/smtp.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { startIssuer, type TestIssuer } from '../issuer/support/issuer.ts'

/** On PostgreSQL, messages are due by its clock, which a test cannot move. */
const MOVABLE = { store: 'memory' } as const

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

afterEach(() => {
  vi.useRealTimers()
})

/** A mail server that keeps what it takes; while it is `busy` it takes nothing. */
async function startMailServer() {
  const state: { busy: boolean; refused: number; rcpt?: [code: number, words: string] } = {
    busy: false,
    refused: 0,
  }
  const received: { from: string; to: string[]; source: string }[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo(_, __, callback) {
      if (!state.rcpt) return callback()
      state.refused++
      const [responseCode, words] = state.rcpt
      callback(Object.assign(new Error(words), { responseCode }))
    },
    onData(stream, session, callback) {
      let source = ''
      stream.on('data', (chunk: Buffer) => {
        source += chunk.toString('utf8')
      })
      stream.on('end', () => {
        if (state.busy) {
          state.refused++
          return callback(Object.assign(new Error('Busy'), { responseCode: 451 }))
        }
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        received.push({ from, to: rcptTo.map(({ address }) => address), source })
        callback()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    state,
    received,
    transport: createSmtpTransport({
      url: `smtp://127.0.0.1:${port}`,
      from: 'no-reply@acme.example',
    }),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function askForReset(issuer: TestIssuer, email = ada.email, language = 'en'): Promise<void> {
  const browser = createBrowser(issuer)
  browser.headers['accept-language'] = language
  await browser.submit(await browser.get('/reset'), { email })
}

test('a message reaches the mail server as text and HTML, in the tenant’s name and the language of the visitor', async () => {
  await using server = await startMailServer()
  await using issuer = await startIssuer({
    mail: server.transport,
    settings: { supportEmail: 'help@acme.example' },
  })
  await issuer.addUser(ada)
  await askForReset(issuer, ada.email, 'de')
  await vi.waitFor(() => expect(server.received).toHaveLength(1))
  const [mail] = server.received
  expect(mail).toMatchObject({ from: 'no-reply@acme.example', to: [ada.email] })
  expect(mail?.source).toMatch(/^From: Acme <no-reply@acme\.example>/m)
  expect(mail?.source).toMatch(/^Reply-To: help@acme\.example/m)
  expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated/m)
  expect(mail?.source).toContain('Content-Type: text/plain')
  expect(mail?.source).toContain('Content-Type: text/html')
  expect(mail?.source).toContain('<title>Neues Passwort f=C3=BCr Acme</title>')
  await vi.waitFor(async () => expect(await issuer.mails()).toEqual([]))
})

test('the outbox says what the mail server answered and when it took a message, and keeps no content of it', async () => {
  await using server = await startMailServer()
  await using issuer = await startIssuer({ mail: server.transport, ...MOVABLE })
  const user = await issuer.addUser(ada)
  const query = { userId: user.id, after: undefined, limit: 10 }
  const outbox = async () => issuer.support.mails(issuer.scope, query)
  server.state.busy = true
  await askForReset(issuer)
  await vi.waitFor(() => expect(server.state.refused).toBe(1))
  await issuer.idle()
  expect(await outbox()).toMatchObject([
    { kind: 'reset', userId: user.id, attempts: 1, answer: expect.stringMatching(/\b451\b/) },
  ])

  server.state.busy = false
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16_000 })
  await issuer.idle()
  const [sent] = await outbox()
  expect(sent).toMatchObject({ outcome: 'sent', attempts: 1 })
  expect(sent?.endedAt).toBeGreaterThan(sent?.createdAt ?? 0)
  const kept = await issuer.protocol.mail.get(issuer.tenant.id, sent?.id ?? '')
  expect(kept?.sealed).toBe('')

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * 86_400_000 })
  await issuer.protocol.prune()
  expect(await outbox()).toEqual([])
})

test('nothing is sent for an address without an account', async () => {
  await using server = await startMailServer()
  await using issuer = await startIssuer({ mail: server.transport })
  await askForReset(issuer, 'eve@example.com')
  await issuer.idle()
  expect(server.received).toEqual([])
  expect(await issuer.protocol.mail.list(issuer.tenant.id, 10)).toEqual([])
  const query = { userId: undefined, after: undefined, limit: 10 }
  expect(await issuer.support.mails(issuer.scope, query)).toEqual([])
})

test('a message that the server refuses for now is tried again later, with growing waits', async () => {
  await using server = await startMailServer()
  await using issuer = await startIssuer({ mail: server.transport, ...MOVABLE })
  await issuer.addUser(ada)
  server.state.busy = true
  await askForReset(issuer)
  await vi.waitFor(() => expect(server.state.refused).toBe(1))
  await issuer.idle()
  expect(server.state.refused).toBe(1)

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16_000 })
  await issuer.idle()
  expect(server.state.refused).toBe(2)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16_000 })
  await issuer.idle()
  expect(server.state.refused).toBe(2)

  server.state.busy = false
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  await issuer.idle()
  expect(server.received).toHaveLength(1)
})

test('a message whose recipient the server refuses for good is given up at once, with the words of the server', async () => {
  await using server = await startMailServer()
  await using issuer = await startIssuer({ mail: server.transport })
  await issuer.addUser(ada)
  server.state.rcpt = [550, `5.1.1 <${ada.email}>: no such mailbox, see https://mx.example/?to=ada`]
  await askForReset(issuer)
  const query = { userId: undefined, after: undefined, limit: 10 }
  await vi.waitFor(async () =>
    expect(await issuer.support.mails(issuer.scope, query)).toMatchObject([
      { outcome: 'given_up', answer: '550 5.1.1 <…>: no such mailbox, see …' },
    ]),
  )
  expect(await issuer.actions()).toContain('mail.given_up')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16_000 })
  await issuer.idle()
  expect(server.state.refused).toBe(1)
})

test('a server that has no room for more recipients, or none for the sender, is tried again', async () => {
  await using server = await startMailServer()
  await using issuer = await startIssuer({ mail: server.transport })
  await issuer.addUser(ada)
  server.state.rcpt = [552, 'Too many recipients']
  await askForReset(issuer)
  await vi.waitFor(() => expect(server.state.refused).toBe(1))
  await issuer.idle()
  const query = { userId: undefined, after: undefined, limit: 10 }
  const [waiting] = await issuer.support.mails(issuer.scope, query)
  expect(waiting).toMatchObject({ attempts: 1, answer: '552 Too many recipients' })
  expect(waiting?.outcome).toBeUndefined()
})

test('a message that cannot be sent for a day is given up after some attempts, which the audit log says', async () => {
  await using server = await startMailServer()
  await using issuer = await startIssuer({ mail: server.transport, ...MOVABLE })
  await issuer.addUser(ada)
  server.state.busy = true
  await askForReset(issuer)
  await vi.waitFor(() => expect(server.state.refused).toBe(1))
  await issuer.idle()
  // A clock may have gone ahead by a day, so its age alone does not decide.
  const begun = Date.now()
  for (const hours of [25, 27, 29, 31]) {
    vi.useFakeTimers({ toFake: ['Date'], now: begun + hours * 3_600_000 })
    await issuer.idle()
    expect(await issuer.protocol.mail.list(issuer.tenant.id, 10)).toHaveLength(1)
  }
  vi.useFakeTimers({ toFake: ['Date'], now: begun + 33 * 3_600_000 })
  await issuer.idle()
  expect(await issuer.protocol.mail.list(issuer.tenant.id, 10)).toEqual([])
  expect(await issuer.actions()).toContain('mail.given_up')
  const query = { userId: undefined, after: undefined, limit: 10 }
  expect(await issuer.support.mails(issuer.scope, query)).toMatchObject([{ outcome: 'given_up' }])
})

test('a tenant in developer mode sends no mail; the outbox page shows it', async () => {
  await using server = await startMailServer()
  await using issuer = await startIssuer({
    mail: server.transport,
    settings: { developerMode: true },
  })
  await issuer.addUser(ada)
  await askForReset(issuer)
  await issuer.idle()
  expect(server.received).toEqual([])
  const page = await createBrowser(issuer).get('/x/outbox')
  expect(page.html).toContain('Set a new password for Acme')
  expect(page.html).toContain(ada.email)
})

test('a visitor does not wait for a mail server that does not answer', async () => {
  const silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const url = `smtp://127.0.0.1:${port}`
  const transport = createSmtpTransport({ url, from: 'no-reply@acme.example' })
  const issuer = await startIssuer({ mail: transport })
  await issuer.addUser(ada)
  await askForReset(issuer)
  expect(await issuer.mails()).toHaveLength(1)
  transport.close()
  silent.close()
})

test.each([
  ['a slash behind digits', 'smtp://login:1234/abc@mail.example.com:587'],
  ['a percent sign', 'smtp://login:abc%zz@mail.example.com:587'],
  ['a slash behind letters', 'smtp://login:hunter2/abc@mail.example.com:587'],
  ['a question mark', 'smtp://login:1234?abc@mail.example.com:587'],
  ['a hash sign', 'smtp://login:1234#abc@mail.example.com:587'],
])('a password of the mail server with %s is refused, and not shown', (_name, url) => {
  let message = ''
  try {
    createSmtpTransport({ url, from: 'login@example.com' }).close()
  } catch (error) {
    message = String(error)
  }

  expect(message).toContain('Percent-encode')
  expect(message).not.toMatch(/1234|abc|hunter2/)
})

test('a password of the mail server that is percent-encoded is taken', () => {
  const url = 'smtp://login:1234%2Fabc%25zz@mail.example.com:587/?pool=true'

  expect(() => createSmtpTransport({ url, from: 'login@example.com' }).close()).not.toThrow()
})
