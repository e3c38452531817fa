import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import { expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { freePort } from '../../../test/support/free-port.ts'

const examples = fileURLToPath(new URL('../..', import.meta.url))
// One on each framework beside those of this folder.
const applications = globSync(['getting-started/*.js', '*/getting-started.js'], { cwd: examples })

test.for(applications)(
  '%s logs a user in, with settings only from the environment',
  async (file) => {
    const provider = await startMisbehavingProvider()
    provider.user = { sub: 'ada', email: 'ada@example.com' }
    const port = await freePort()
    const url = `http://localhost:${port}`
    const application = run(file, port, {
      LATCHKEY_ISSUER: provider.issuer,
      LATCHKEY_CLIENT_ID: provider.clientId,
      LATCHKEY_CLIENT_SECRET: provider.clientSecret,
      LATCHKEY_BASE_URL: url,
      LATCHKEY_SESSION_SECRET: 'a secret of the guides with 32 characters',
    })
    try {
      await application.printed('Listening on')
      const browser = createBrowser()
      expect((await browser.open(url)).text).toContain('Log in')
      expect((await browser.open(`${url}/account`)).text).toBe('Logged in as ada@example.com')
      expect((await browser.open(url)).text).toContain('Log out')
    } finally {
      application.child.kill()
      await provider.close()
    }
  },
)

test.for(applications)(
  '%s says so when its port is in use, and does not claim to listen',
  async (file) => {
    const other = createServer()
    // As the applications do: on every address of this machine.
    const port = await listen(other, undefined)
    const onLoopback = createServer()
    await listen(onLoopback, '127.0.0.1', port).catch(() => {})
    try {
      const application = run(file, port, {
        LATCHKEY_ISSUER: 'http://localhost:9',
        LATCHKEY_CLIENT_ID: 'shop',
        LATCHKEY_CLIENT_SECRET: 'secret',
        LATCHKEY_BASE_URL: `http://localhost:${port}`,
        LATCHKEY_SESSION_SECRET: 'a secret of the guides with 32 characters',
      })
      expect(await application.ended).toMatch(/EADDRINUSE/)
      expect(await application.ended).not.toContain('Listening')
      expect(application.child.exitCode).not.toBe(0)
    } finally {
      onLoopback.close()
      other.close()
    }
  },
)

interface Run {
  readonly child: ChildProcess
  readonly ended: Promise<string>
  printed(text: string): Promise<void>
}

/** Runs an application as it stands, with another port. */
function run(file: string, port: number, settings: Record<string, string>): Run {
  const text = readFileSync(path.join(examples, file), 'utf8').replaceAll('3000', String(port))
  const child = spawn(
    process.execPath,
    ['--conditions=latchkey-source', '--input-type=module', '--eval', text],
    {
      cwd: path.join(examples, path.dirname(file)),
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  const wanted: { text: string; done: () => void }[] = []
  const read = (chunk: Buffer): void => {
    output += chunk
    for (const { text, done } of wanted) if (output.includes(text)) done()
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(output)))
  const printed = (text: string): Promise<void> =>
    new Promise((done, fail) => {
      wanted.push({ text, done })
      read(Buffer.of())
      void ended.then(() => fail(new Error(`${file} ended: ${output}`)))
    })
  return { child, ended, printed }
}

function listen(server: Server, host: string | undefined, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}
