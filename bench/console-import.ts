import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { createBrowser } from '../packages/service/test/issuer/support/browser.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { startRedis } from './parts/redis.ts'

/**
 * An import in the console, as a browser without JavaScript sends it: ROWS users of a CSV, with hashes of bcrypt. Prints how
 * long the upload, the check and the import take, and the most memory. `WHAT=sqlite|postgres`.
 */

const ROWS = Number(process.env.ROWS ?? 200_000)
const CONSOLE = 'https://localhost'
const PASSWORD = 'correct horse battery'
const what = process.env.WHAT ?? ''
// As one of bcrypt looks.
const HASH = `$2b$10$${'abcdefghijklmnopqrstuu'}${'Oa'.padEnd(31, '0')}`

type Options = Parameters<typeof createIdentityService>[0]

if (what !== 'postgres') {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  try {
    await measure('SQLite', { data })
  } finally {
    rmSync(data, { recursive: true })
  }
}

if (what !== 'sqlite') {
  await using postgres = await startPostgres()
  const redis = await startRedis(27_314)
  await measure('PostgreSQL', {
    database: postgres.url('template1').replace('template1', 'postgres'),
    redis: `redis://127.0.0.1:${redis.port}`,
    masterKey: Buffer.alloc(32, 7).toString('base64'),
  })
  await redis.stop()
}

async function measure(name: string, options: Options): Promise<void> {
  await using service = await createIdentityService({ ...options, consoleUrl: CONSOLE })
  const { admin } = service
  const { id } = await admin.createTenant({ domain: 'acme.example' })
  const { token } = await admin.inviteOperator({ email: 'ada@example.com', role: 'owner' })
  const accepted = new URLSearchParams({ token, password: PASSWORD })
  await service.fetch(`${CONSOLE}/console/invitation`, {
    ...{ method: 'POST', body: accepted, redirect: 'manual' },
  })
  const browser = createBrowser({ url: CONSOLE, fetch: service.fetch as never })
  browser.headers['sec-fetch-site'] = 'same-origin'
  const form = await browser.get('/console')
  await browser.submit(form, { email: 'ada@example.com', password: PASSWORD })
  const path = `/console/t/${id}/users/import`
  const { html } = await browser.get(path)
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const lines = Array.from(
    { length: ROWS },
    (_, n) => `user${n}@example.com,Ada ${n},Lovelace,${HASH},gold\n`,
  )
  const sent = new FormData()
  sent.append('csrf', csrf)
  sent.append(
    'file',
    new Blob(['email,first_name,last_name,password_hash,metadata.plan\n', ...lines]),
    'users.csv',
  )
  const request = new Request(CONSOLE, { method: 'POST', body: sent })
  const body = Buffer.from(await request.arrayBuffer())
  const type = request.headers.get('content-type') ?? ''
  const sizes: number[] = []
  const memory = setInterval(() => sizes.push(process.memoryUsage.rss()), 100)
  const base = process.memoryUsage.rss()
  const post = (to: string, fields: Record<string, string>) =>
    browser.send(to, {
      ...{ method: 'POST', body: new URLSearchParams({ csrf, ...fields }).toString() },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const timed = async <T>(label: string, work: () => Promise<T>): Promise<T> => {
    const [began, cpu] = [performance.now(), process.cpuUsage()]
    sizes.length = 0
    const result = await work()
    const used = process.cpuUsage(cpu)
    const seconds = (performance.now() - began) / 1_000
    console.log(
      `${name} ${label}: ${seconds.toFixed(1)} s, CPU ${((used.user + used.system) / 1e6).toFixed(1)} s, ` +
        `at most ${Math.round(Math.max(...sizes, base) / 1e6)} MB (${Math.round(base / 1e6)} MB before)`,
    )
    return result
  }
  const uploaded = await timed('upload', () =>
    browser.send(path, { method: 'POST', body: body as never, headers: { 'content-type': type } }),
  )
  if (uploaded.location === undefined)
    throw new Error(`The upload was answered with ${uploaded.status}.`)
  const at = uploaded.location
  const job = new URL(at, CONSOLE).searchParams.get('job') ?? ''
  const finish = async () => {
    for (;;) {
      const page = await browser.get(at)
      if (!page.html.includes('loaded again')) return page.html.replace(/<[^>]+>/g, ' ')
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
  await timed('check', async () => {
    await post(`${path}/check`, { job })
    return finish()
  })
  const end = await timed('import', async () => {
    await post(`${path}/begin`, { job })
    return finish()
  })
  console.log(/Created\s+[\d,]+/.exec(end)?.[0], `${(body.length / 1e6).toFixed(1)} MB`)
  clearInterval(memory)
}
