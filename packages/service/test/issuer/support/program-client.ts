import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { Metadata } from '../../../src/store/records.ts'
import { createBrowser } from './browser.ts'
import { applicationUrl, type TestIssuer } from './issuer.ts'

/**
 * An application in another language, up to where it sends its visitor. The program takes issuer, client id, client secret
 * and redirect URL; it prints an address, reads the callback, and prints the user as JSON.
 */
export async function beginWithProgram(
  issuer: TestIssuer,
  [program, ...words]: readonly [string, ...string[]],
  metadata: Metadata,
) {
  // Its HTTP client knows no *.localhost.
  await issuer.changeSettings({ domain: `localhost:${issuer.port}` })
  const url = `http://localhost:${issuer.port}`
  const application = await issuer.addApplication({ metadata })
  const secret = issuer.secretOf(application)
  const child = spawn(
    program,
    [...words, url, application.id, secret, `${applicationUrl}/callback`],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      // The issuer of the test is on plain http.
      env: { ...process.env, AUTHLIB_INSECURE_TRANSPORT: '1' },
    },
  )
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
