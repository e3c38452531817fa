import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { until } from '../../../session-store/test/support/redis.ts'
import { LEASE_SECONDS } from '../../src/store/cursors.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { PASSWORD } from '../support/hashes.ts'
import { callback, type Field } from './field.ts'
import { authorization, ensureUser, fetchOf } from './load.ts'

/** A disturbance while users are disabled, until it is disposed of. */
type Disturbance = (field: Field) => Promise<AsyncDisposable>

/** Disturbances of logout notices, and after how many seconds each notice has arrived at the latest. */
export const disturbances: Record<string, { disturb: Disturbance; seconds: number }> = {
  'a process that is stopped while it reads the audit log': { disturb: stopReader, seconds: 30 },
  'a transaction in another database that does not end': { disturb: openTransaction, seconds: 5 },
}

/** Notices that arrived late or more than once. */
export interface NoticeFindings {
  slowest: number
  twice: number
}

/**
 * Disables users who are logged in, amid a disturbance.
 *
 * @throws when the application is told too late of one of them.
 */
export async function drillNotices(
  field: Field,
  { disturb, seconds }: { disturb: Disturbance; seconds: number },
  count: number,
): Promise<NoticeFindings> {
  const told = new Map<string, number[]>()
  await using receiver = await startReceiver(told)
  await setReceiver(field, receiver.url)
  const users = await logInMany(field, count)
  await using _ = await disturb(field)
  const begun = performance.now()
  await Promise.all(users.map((user) => disable(field, user)))
  await until('every notice arrives', () => users.every(({ id }) => told.has(id)), seconds)
  const arrived = users.map(({ id }) => told.get(id) ?? [])
  return {
    slowest: (Math.max(...arrived.map(([first = 0]) => first)) - begun) / 1_000,
    twice: arrived.filter(({ length }) => length > 1).length,
  }
}

/** A user with a login. */
export interface LoggedIn {
  id: string
  email: string
  /** The code that the login ended with, which is not redeemed. */
  code: string
}

/** Logs in users of a run of their own, with more parameters if given. */
export async function logInMany(
  field: Field,
  count: number,
  parameters: Record<string, string> = {},
): Promise<LoggedIn[]> {
  const run = crypto.randomUUID().slice(0, 8)
  const users: LoggedIn[] = []
  for (let n = 0; n < count; n++) {
    const email = `told-${run}-${n}@example.com`
    await ensureUser(field, email)
    const browser = createBrowser({ url: field.url, fetch: fetchOf(field) })
    const landed = await browser.submit(await browser.get(authorization(field, parameters)), {
      email,
      password: PASSWORD,
    })
    const code = new URL(landed.location ?? landed.url).searchParams.get('code')
    if (!code) throw new Error(`No login: ${landed.html}`)
    const [row] = await field.cluster.database.query(
      `select id from users where email = '${email}'`,
    )
    users.push({ id: String(row?.id), email, code })
  }
  return users
}

/** Disables a user, which ends all sessions. */
export async function disable(field: Field, { id, email }: LoggedIn): Promise<void> {
  await post(field, `/users/${id}`, { profile: { email }, disabled: true })
}

/** Has the application told of logouts at an address. */
export async function setReceiver(field: Field, url: string): Promise<void> {
  await post(field, `/applications/${field.client.id}`, {
    name: 'Shop',
    redirect_urls: [callback],
    metadata: { backchannel_logout_uri: url },
  })
  // Until every process has heard of it.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
}

async function post(field: Field, path: string, body: object): Promise<void> {
  const answer = await fetchOf(field)(`${field.url}${field.tenant}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${field.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}

/** An application that takes logout tokens, and notes when it was told of whom. */
export async function startReceiver(told: Map<string, number[]>) {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const token = new URLSearchParams(body).get('logout_token') ?? ''
      const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      told.set(sub, [...(told.get(sub) ?? []), performance.now()])
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Stops a process, as if it had just taken every part of the log. */
async function stopReader({ cluster }: Field): Promise<AsyncDisposable> {
  const stopped = cluster.processes.shift()
  stopped?.signal('SIGSTOP')
  await cluster.database.query(`update cursors set fence = fence + 1,
    held_until = clock_timestamp() + interval '${LEASE_SECONDS} seconds'`)
  return {
    async [Symbol.asyncDispose]() {
      if (!stopped) return
      stopped.signal('SIGCONT')
      cluster.processes.push(stopped)
    },
  }
}

async function openTransaction({ cluster }: Field): Promise<AsyncDisposable> {
  const client = new pg.Client({
    connectionString: cluster.database.url.replace(/[^/]*$/, 'postgres'),
  })
  await client.connect()
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  return { [Symbol.asyncDispose]: () => client.end() }
}
