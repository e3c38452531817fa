import type { AddressInfo } from 'node:net'
import {
  checkRecords,
  createMapping,
  createStates,
  type RowFault,
  readSource,
  toImport,
  toRow,
} from '@latchkey/management/import'
import { SMTPServer } from 'smtp-server'
import { expect, test, vi } from 'vitest'
import { importUsers } from '../../src/domain/users/import-user.ts'
import { verifyPassword } from '../../src/domain/users/passwords.ts'
import { findUser } from '../../src/domain/users/users.ts'
import { readUserToImport } from '../../src/http/resources/users-import.ts'
import { createSmtpTransport } from '../../src/mail/smtp.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { startIssuer } from '../issuer/support/issuer.ts'

/** A user pool as a table: the columns of Cognito's own CSV header, with the state of each user. */
const POOL = `sub,cognito:username,email,email_verified,given_name,family_name,phone_number,cognito:mfa_enabled,Enabled,UserStatus
d16b4aa8-8633-4abd-93b3-5062a8e1b5f8,ada,ada@cognito.example,true,Ada,Lovelace,,false,true,CONFIRMED
44d8a4a8-00a1-7010-2d63-0b4a4f1d6a51,grace,grace@cognito.example,true,Grace,Hopper,,false,false,CONFIRMED
`

// cspell:ignore STARTTLS
/** A mail server that keeps the text of each message, by its address. */
async function startMailServer() {
  const received = new Map<string, string>()
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, callback) {
      let source = ''
      stream.on('data', (chunk: Buffer) => {
        source += chunk.toString('utf8')
      })
      stream.on('end', () => {
        const text = source.replaceAll('=\r\n', '').replaceAll('=3D', '=')
        for (const { address } of session.envelope.rcptTo) received.set(address, text)
        callback()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    received,
    transport: createSmtpTransport({ url: `smtp://127.0.0.1:${port}`, from: 'no-reply@x.example' }),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function readPool() {
  const read = async function* () {
    yield Buffer.from(POOL)
  }
  const source = { name: 'cognito.csv', format: 'csv', encoding: 'utf8', read } as const
  const states = createStates({ now: Date.now() })
  const options = { mapping: createMapping(new Map()), named: new Map(), states }
  const input = { ...options, hashAlgorithm: undefined }
  const faults: RowFault[] = []
  await checkRecords('cognito.csv', readSource(source), input, (_, fault) => faults.push(fault))
  expect(faults).toEqual([])
  const records = await Array.fromAsync(readSource(source))
  return records.map((record, row) => readUserToImport(toImport(toRow(row, record, input))))
}

test('a user of a Cognito pool gets in by the mail for a new password, and one who is blocked there does not', async () => {
  await using server = await startMailServer()
  await using issuer = await startIssuer({ mail: server.transport })
  const outcomes = await importUsers(issuer.scope, await readPool())
  expect(outcomes.map(({ kind }) => kind)).toEqual(['created', 'created'])

  const browser = createBrowser(issuer)
  for (const email of ['grace@cognito.example', 'ada@cognito.example']) {
    await browser.submit(await browser.get('/reset'), { email })
  }
  await vi.waitFor(() => expect(server.received.get('ada@cognito.example')).toBeDefined())
  await issuer.idle()
  const [link = ''] =
    /http:\/\/\S+\/reset\S*token=[\w.~-]+\S*/.exec(
      server.received.get('ada@cognito.example') ?? '',
    ) ?? []
  const password = 'a new battery staple'
  const done = await browser.submit(await browser.get(link), { password })
  expect(done.html).toContain('Your new password is set')
  const verify = async (email: string) =>
    verifyPassword(issuer.scope, await findUser(issuer.scope, email), password)
  expect(await verify('ada@cognito.example')).toMatchObject({ kind: 'verified' })

  // The page answers the same for a blocked user, who gets no message.
  expect(server.received.get('grace@cognito.example')).toBeUndefined()
  expect(await findUser(issuer.scope, 'grace@cognito.example')).toMatchObject({ disabled: true })
  expect(await verify('grace@cognito.example')).toMatchObject({ kind: 'refused' })
})
