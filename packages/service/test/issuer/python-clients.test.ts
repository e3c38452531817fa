import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { installOnDebian } from '../../../../test/support/debian.ts'
import type { Metadata } from '../../src/store/records.ts'
import { createBrowser } from './support/browser.ts'
import { applicationUrl, startIssuer, type TestIssuer } from './support/issuer.ts'
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
}, 300_000)

/** An application with a library of Python, up to where it sends its visitor. */
async function beginWithPython(issuer: TestIssuer, file: string, metadata: Metadata) {
  // Its client knows no *.localhost.
  await issuer.changeSettings({ domain: `localhost:${issuer.port}` })
  const url = `http://localhost:${issuer.port}`
  const application = await issuer.addApplication({ metadata })
  const script = join(import.meta.dirname, 'support', file)
  const secret = issuer.secretOf(application)
  const child = spawn(python, [script, url, application.id, secret, `${applicationUrl}/callback`], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // The issuer of the test is on plain http.
    env: { ...process.env, AUTHLIB_INSECURE_TRANSPORT: '1' },
  })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => String((await lines.next()).value)
  return {
    browser: createBrowser({ url, fetch: issuer.fetch }),
    authorizationUrl: await next(),
    async complete(callback = '') {
      child.stdin.write(`${callback}\n`)
      return JSON.parse(await next())
    },
  }
}

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
