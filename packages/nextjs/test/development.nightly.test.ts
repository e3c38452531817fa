import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../../test/support/free-port.ts'

const example = path.join(import.meta.dirname, '../../../examples/nextjs')
const next = createRequire(path.join(example, 'package.json')).resolve('next/dist/bin/next')

test('under "next dev", the link in the terminal opens the login recorder, which shows a failed login', async () => {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const server = spawn(process.execPath, [next, 'dev', '--port', String(port)], {
    cwd: example,
    env: {
      ...process.env,
      NODE_ENV: 'development',
      // The sources of the package of development, which need not be built.
      NODE_OPTIONS: '--conditions=latchkey-source',
      NEXT_TELEMETRY_DISABLED: '1',
      LATCHKEY_ISSUER: `http://localhost:${await freePort()}`,
      LATCHKEY_CLIENT_ID: 'app',
      LATCHKEY_CLIENT_SECRET: 'a secret of tests that protects nothing',
      LATCHKEY_BASE_URL: url,
      LATCHKEY_SESSION_SECRET: 'another secret of tests that protects nothing',
    },
  })
  onTestFinished(() => void server.kill())
  let output = ''
  server.stdout.on('data', (text) => (output += text))
  server.stderr.on('data', (text) => (output += text))
  while (!output.includes('Ready in')) await once(server.stdout, 'data')

  // Not `fetch()`, which says that a script asks: scripts begin no login.
  const [failed] = (await once(get(`${url}/login`), 'response')) as [IncomingMessage]
  failed.resume()
  const locked = await fetch(`${url}/__latchkey`)
  const link = await vi.waitUntil(() => /http:\S+key=[\w-]+/.exec(output)?.[0])
  const opened = await fetch(link, { redirect: 'manual' })
  const [cookie = ''] = opened.headers.getSetCookie()
  const shown = await fetch(`${url}/__latchkey`, {
    headers: { cookie: cookie.split(';')[0] ?? '' },
  })
  const text = await shown.text()
  server.kill()
  await once(server, 'exit')

  expect([failed.statusCode, locked.status, opened.status, shown.status]).toEqual([
    503, 403, 303, 200,
  ])
  expect(text).toContain('LATCHKEY_PROVIDER_UNAVAILABLE')
})
