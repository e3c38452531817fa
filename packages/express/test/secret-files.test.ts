import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthRouter } from '@latchkey/express'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { startSite } from './support/site.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

function write(name: string, content: string | Uint8Array): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

const options = {
  issuer: 'https://login.example',
  clientId: 'app',
  baseUrl: 'https://app.example',
}
const session = 'session-secret-0123456789-session-secret'

test('an application starts with both secrets in files', () => {
  expect(() => createAuthRouter(options)).toThrow(
    /clientSecret.*is not set.*session.secret.*is not/s,
  )
  vi.stubEnv('LATCHKEY_CLIENT_SECRET_FILE', write('client', 'client-secret-of-a-file\n'))
  vi.stubEnv('LATCHKEY_SESSION_SECRET_FILE', write('session', `${session}\r\n`))
  expect(() => createAuthRouter(options)).not.toThrow()
  vi.stubEnv('LATCHKEY_SESSION_SECRET_FILE', write('short', 'short\n'))
  expect(() => createAuthRouter(options)).toThrow(/session.secret.*is too short/s)
})

test('an option wins over a file', async () => {
  vi.stubEnv('LATCHKEY_SESSION_SECRET_FILE', write('short', 'short\n'))
  await using site = await startSite(() => {})
  expect((await fetch(`${site.url}/login`, { redirect: 'manual' })).status).toBe(302)
})

const missing = join(folder, 'missing')
test.each([
  ['a file that is missing', () => missing, `${missing}, which does not exist`],
  ['a folder', () => folder, 'which is no file'],
  ['an empty file', () => write('empty', '\n\n'), 'which is empty'],
  ['a file of 65 KiB', () => write('large', 'x'.repeat(65 * 1024)), 'which is larger than 64 KiB'],
  ['bytes that are no text', () => write('bytes', new Uint8Array([0xff, 0xfe])), 'not text'],
])(
  'an application with %s does not start, and the message has no part of it',
  (_name, file, fault) => {
    vi.stubEnv('LATCHKEY_CLIENT_SECRET_FILE', file())
    const start = () => createAuthRouter({ ...options, session: { secret: session } })
    expect(start).toThrow('"LATCHKEY_CLIENT_SECRET_FILE" names')
    expect(start).toThrow(fault)
    expect(start).not.toThrow('xxxx')
  },
)

test('a secret that is in a variable and in a file is refused', () => {
  vi.stubEnv('LATCHKEY_CLIENT_SECRET', 'one')
  vi.stubEnv('LATCHKEY_CLIENT_SECRET_FILE', write('client', 'two'))
  expect(() => createAuthRouter({ ...options, session: { secret: session } })).toThrow(
    '"LATCHKEY_CLIENT_SECRET_FILE" is set beside LATCHKEY_CLIENT_SECRET. Remove one of them.',
  )
})
