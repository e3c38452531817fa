/**
 * Whether one tenant's import slows down the logins of another: logins 16 at a time, in turn without an
 * import and beside one that creates 90 credentials a second.
 *
 *   ROUNDS=3 SECONDS=20 node --conditions=latchkey-source bench/storm.ts
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createBrowser } from '../packages/service/test/issuer/support/browser.ts'
import { createLoopbackFetch } from '../packages/service/test/issuer/support/loopback.ts'
import { start } from './parts/child.ts'
import { median, quantile, row } from './parts/numbers.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const SECONDS = Number(process.env.SECONDS ?? 20)
const AT_A_TIME = 16
const IMPORTS_PER_SECOND = 90

interface Facts {
  readonly host: string
  readonly key: string
  readonly password: string
  readonly redirectUri: string
  readonly emails: readonly string[]
  readonly clientId: string
  readonly tenantId: string
}

const server = await start('storm')
const facts = await server.ask<Facts>('facts')
const fetchThere = createLoopbackFetch()
const origin = `http://${facts.host}`

async function call(path: string, body: object): Promise<{ status: number; id: string }> {
  const answer = await fetchThere(`${origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${facts.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { id } = (await answer.json()) as { id: string }
  return { status: answer.status, id }
}

/** Logs in with a browser of its own; answers with the milliseconds, or with the status of a refusal. */
async function logIn(email: string): Promise<{ ms: number } | { refused: number }> {
  const browser = createBrowser({ url: origin, fetch: fetchThere })
  const part = () => Math.floor(Math.random() * 250)
  browser.headers['x-forwarded-for'] = `198.51.${part()}.${part()}`
  const query = new URLSearchParams({
    client_id: facts.clientId,
    response_type: 'code',
    redirect_uri: facts.redirectUri,
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const began = performance.now()
  const form = await browser.get(`/oidc/auth?${query}`)
  const { status, location } = await browser.submit(form, { email, password: facts.password })
  return location?.includes('code=') ? { ms: performance.now() - began } : { refused: status }
}

/** The latencies of logins for so long, and how many were refused. */
async function measure(): Promise<{ latencies: number[]; refused: number }> {
  const end = performance.now() + SECONDS * 1_000
  const latencies: number[] = []
  let refused = 0
  async function visitor(email: string): Promise<void> {
    while (performance.now() < end) {
      const outcome = await logIn(email)
      if ('ms' in outcome) latencies.push(outcome.ms)
      else refused++
    }
  }
  await Promise.all(facts.emails.slice(0, AT_A_TIME).map(visitor))
  return { latencies: latencies.sort((a, b) => a - b), refused }
}

let number = 0

/** Users without a password, for a whole round of the import. */
async function prepareUsers(): Promise<string[]> {
  const users = `/v1/tenants/${facts.tenantId}/users`
  const create = async () => {
    const { status, id } = await call(users, { profile: { email: `new${number++}@example.com` } })
    if (status !== 200) throw new Error(`A user was not created: ${status}`)
    return id
  }
  const ids: string[] = []
  // Those that come together share a commit.
  while (ids.length < IMPORTS_PER_SECOND * (SECONDS + 1)) {
    ids.push(...(await Promise.all(Array.from({ length: IMPORTS_PER_SECOND }, create))))
  }
  return ids
}

/** Creates credentials at a steady rate, regardless of the answers, until it is told to stop. */
async function importUntil(stopped: AbortSignal, ids: string[]): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const running: Promise<void>[] = []
  const began = performance.now()
  for (let n = 0; !stopped.aborted && n < ids.length; n++) {
    await sleep(Math.max(0, began + (n * 1_000) / IMPORTS_PER_SECOND - performance.now()))
    const path = `/v1/tenants/${facts.tenantId}/users/${ids[n]}/credentials`
    const password = { alg: 'plain', hash: `password ${n}` }
    running.push(
      call(path, { password }).then(({ status }) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }),
    )
  }
  await Promise.all(running)
  return statuses
}

const all: { quiet: number[]; storm: number[] }[] = []
console.log(row('milliseconds', 'logins', 'refused', 'median', 'p99'))
for (let round = 0; round < ROUNDS; round++) {
  const ids = await prepareUsers()
  const quiet = await measure()
  const stop = new AbortController()
  const importing = importUntil(stop.signal, ids)
  const storm = await measure()
  stop.abort()
  const statuses = await importing
  for (const [name, { latencies, refused }] of Object.entries({ quiet, storm })) {
    const times = [0.5, 0.99].map((share) => quantile(latencies, share))
    console.log(row(name, latencies.length, refused, ...times))
  }
  console.log('imports by status', Object.fromEntries(statuses))
  all.push({ quiet: quiet.latencies, storm: storm.latencies })
}
const ratios = all.map(({ quiet, storm }) => quantile(storm, 0.99) / quantile(quiet, 0.99))
console.log(row('p99 of the storm to quiet', median(ratios)))
await server.stop()
