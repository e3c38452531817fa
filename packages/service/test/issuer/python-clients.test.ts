import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { installOnDebian } from '../../../../test/support/debian.ts'
import { limit } from '../../../../test/support/limits.ts'
import type { Metadata } from '../../src/store/records.ts'
import { startIssuer, type TestIssuer } from './support/issuer.ts'
import { beginWithProgram } from './support/program-client.ts'
import { ada } from './support/token-endpoint.ts'

// Debian's packages are seen by Debian's Python alone.
const python = '/usr/bin/python3'

beforeAll(() => {
  try {
    const imported = 'import social_core.backends.open_id_connect, authlib, requests'
    execFileSync(python, ['-c', imported], { stdio: 'ignore' })
  } catch {
    for (const name of [
      'python3-social-auth-core',
      'python3-jose',
      'python3-authlib',
      'python3-requests',
    ]) {
      installOnDebian([name], `Install ${name}: libraries of clients for Debian's Python 3.`)
    }
  }
}, limit(300))

const beginWithPython = (issuer: TestIssuer, file: string, metadata: Metadata) =>
  beginWithProgram(issuer, [python, join(import.meta.dirname, 'support', file)], metadata)

test('python-social-auth, which has no PKCE, logs a user in where PKCE is optional', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const app = await beginWithPython(issuer, 'python_social_auth.py', { latchkey_pkce: 'optional' })

  const form = await app.browser.get(app.authorizationUrl)
  const callback = await app.browser.submit(form, ada)
  const user = await app.complete(callback.location)
  expect(user).toMatchObject({ email: ada.email, fullname: 'Ada Lovelace', first_name: 'Ada' })
})

test('python-social-auth is refused where PKCE is required', async () => {
  await using issuer = await startIssuer()
  const app = await beginWithPython(issuer, 'python_social_auth.py', {})
  const answer = await app.browser.get(app.authorizationUrl)
  expect(answer.location).toContain('error=invalid_request')
})

test('Authlib logs a user in with PKCE, and verifies the ID token by the key that it names', async () => {
  await using issuer = await startIssuer()
  const { id } = await issuer.addUser(ada)
  const app = await beginWithPython(issuer, 'authlib_client.py', {})

  const form = await app.browser.get(app.authorizationUrl)
  const callback = await app.browser.submit(form, ada)
  expect(await app.complete(callback.location)).toMatchObject({ sub: id, email: ada.email })
})
