import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../../test/support/free-port.ts'

const example = path.join(import.meta.dirname, '../../../examples/nextjs')
const next = createRequire(path.join(example, 'package.json')).resolve('next/dist/bin/next')

test('under "next dev", the link in the terminal opens the login recorder, which shows a failed login', async () => {
  const { url, output, stop } = await startDevelopment()
  // Not `fetch()`, which says that a script asks: scripts begin no login.
  const failed = await navigate(`${url}/login`)
  failed.resume()
  const locked = await fetch(`${url}/__latchkey`)
  const link = await vi.waitUntil(() => /http:\S+key=[\w-]+/.exec(output())?.[0])
  const opened = await fetch(link, { redirect: 'manual' })
  const [cookie = ''] = opened.headers.getSetCookie()
  const shown = await fetch(`${url}/__latchkey`, {
    headers: { cookie: cookie.split(';')[0] ?? '' },
  })
  const page = await shown.text()
  await stop()

  expect([failed.statusCode, locked.status, opened.status, shown.status]).toEqual([
    503, 403, 303, 200,
  ])
  expect(page).toContain('LATCHKEY_PROVIDER_UNAVAILABLE')
})

test('under "next dev", the pages of the guide log no error, and no warning of a file', async () => {
  const { url, output, stop } = await startDevelopment()
  const answers: [status: number | undefined, body: string][] = []
  for (const page of ['/', '/account', '/cart', '/api/me']) {
    const answer = await navigate(url + page)
    answers.push([answer.statusCode, await text(answer)])
  }
  // A page is looked through behind its response; the line of the last request is written behind that.
  await vi.waitUntil(() => output().includes('GET /api/me 401'))
  await stop()

  const faults = output().match(/^(Error: |Warning: |⚠ \.\/).*$/gm)
  expect(faults).toBeNull()
  expect(answers.map(([status]) => status)).toEqual([200, 200, 200, 401])
  // A page of Next.js begins its response before the guard decides.
  expect(answers[1]?.[1]).toMatch(
    /http-equiv="refresh" content="1;url=\/login\?returnTo=%2Faccount"/,
  )
})

/** Starts `next dev` on the example, with a provider that doesn't answer. */
async function startDevelopment(): Promise<{
  url: string
  output(): string
  stop(): Promise<void>
}> {
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
  server.stdout.on('data', (chunk) => (output += chunk))
  server.stderr.on('data', (chunk) => (output += chunk))
  while (!output.includes('Ready in')) await once(server.stdout, 'data')
  return {
    url,
    output: () => output,
    async stop() {
      server.kill()
      await once(server, 'exit')
    },
  }
}

/** Requests an address as a browser does that opens a page. */
async function navigate(url: string): Promise<IncomingMessage> {
  const [answer] = (await once(get(url), 'response')) as [IncomingMessage]
  answer.pause()
  return answer
}
