import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createIdentityService } from '../../src/service.ts'
import { serveElsewhere } from './serving.ts'

const ROUNDS = 12
const WRITERS = 12
const HASH = '$2b$10$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'

type Body = Record<string, unknown>

/** What a writer knows of the one object that it writes to at a time. */
interface Expected {
  path: string
  /** The last state that was acknowledged: the body, or `undefined` for one that is gone. */
  acknowledged: Body | undefined
  /** The state that a write without an answer would have left. */
  attempted?: { body: Body | undefined }
}

/** Everything that was ever acknowledged, by path. */
interface Ledger {
  objects: Map<string, Expected>
  /** Creates that had no answer: at most so many objects may be there that nobody knows. */
  unanswered: { users: number; applications: number }
}

interface Client {
  get(path: string): Promise<{ status: number; body: Body }>
  post(path: string, body: Body): Promise<Body>
  delete(path: string): Promise<Body>
}

function clientOf(origin: string, key: string, via: typeof fetch = fetch): Client {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  async function call(method: string, path: string, body?: Body) {
    const answer = await via(origin + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Body }
  }
  async function succeed(method: string, path: string, sent?: Body): Promise<Body> {
    const { status, body } = await call(method, path, sent)
    if (status !== 200) throw new Refused(`${method} ${path}: ${status} ${body.code}`)
    return body
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => succeed('POST', path, body),
    delete: (path) => succeed('DELETE', path),
  }
}

/** The service answered, but not as it should have. */
class Refused extends Error {}

/** Writes one thing after another until the service is gone. */
async function write(
  client: Client,
  tenant: string,
  writer: string,
  ledger: Ledger,
): Promise<void> {
  const random = (choices: number) => Math.floor(Math.random() * choices)
  let made = 0

  async function create(kind: 'users' | 'applications', body: Body): Promise<string> {
    ledger.unanswered[kind]++
    const created = await client.post(`${tenant}/${kind}`, body)
    ledger.unanswered[kind]--
    const path = `${tenant}/${kind}/${created.id}`
    ledger.objects.set(path, { path, acknowledged: created })
    return path
  }

  async function update(path: string, body: Body): Promise<void> {
    const object = ledger.objects.get(path) as Expected
    object.attempted = { body }
    object.acknowledged = await client.post(path, body)
    delete object.attempted
  }

  async function remove(path: string, below: string[] = []): Promise<void> {
    const objects = [path, ...below].map((each) => ledger.objects.get(each) as Expected)
    for (const object of objects) object.attempted = { body: undefined }
    await client.delete(path)
    for (const object of objects) {
      object.acknowledged = undefined
      delete object.attempted
    }
  }

  async function addCredential(user: string): Promise<string> {
    const path = `${user}/credentials/password`
    const body = { password: { alg: 'bcrypt', hash: HASH } }
    const object: Expected = { path, acknowledged: undefined, attempted: { body } }
    ledger.objects.set(path, object)
    object.acknowledged = await client.post(`${user}/credentials`, body)
    delete object.attempted
    return path
  }

  for (;;) {
    const name = `${writer}-${made++}`
    const profile = { email: `${name}@example.com`, name: 'x'.repeat(random(900)) }
    const user = await create('users', { profile, metadata: { state: 'made' } })
    const credential = random(2) === 0 ? await addCredential(user) : undefined
    for (let i = random(3); i > 0; i--) {
      await update(user, { profile, metadata: { state: `${i}` }, disabled: random(2) === 0 })
    }
    if (credential && random(3) === 0) {
      await update(credential, { password: { alg: 'bcrypt', hash: HASH }, disabled: true })
    }
    if (random(3) === 0) await remove(user, credential ? [credential] : [])
    const application = await create('applications', { name })
    if (random(2) === 0) await update(application, { name: `${name} renamed` })
    if (random(3) === 0) await remove(application)
  }
}

/** Compares what is there with what was acknowledged; from then on, what is there is what counts. */
async function verify(client: Client, tenant: string, ledger: Ledger): Promise<void> {
  const found = new Map([
    ...(await listed(client, `${tenant}/users`)),
    ...(await listed(client, `${tenant}/applications`)),
  ])
  for (const path of ledger.objects.keys()) {
    if (!path.includes('/credentials/')) continue
    const { status, body } = await client.get(path)
    if (status === 200) found.set(path, body)
    else expect(status).toBe(404)
  }

  for (const { path, acknowledged, attempted } of ledger.objects.values()) {
    const body = found.get(path)
    const isAsAcknowledged = acknowledged ? body && isVersion(body, acknowledged) : !body
    const isAsAttempted =
      attempted && (attempted.body ? body && isMatch(body, attempted.body) : !body)
    if (!isAsAcknowledged && !isAsAttempted) {
      expect({ path, found: body }).toEqual({ path, found: acknowledged })
    }
  }
  for (const kind of ['users', 'applications'] as const) {
    const unknown = [...found.keys()].filter(
      (path) =>
        path.startsWith(`${tenant}/${kind}/`) &&
        !path.includes('/credentials/') &&
        !ledger.objects.has(path),
    )
    expect(unknown.length).toBeLessThanOrEqual(ledger.unanswered[kind])
    ledger.unanswered[kind] = 0
  }
  ledger.objects.clear()
  for (const [path, body] of found) ledger.objects.set(path, { path, acknowledged: body })
}

/** A whole list, by path; its total is the number of its items. */
async function listed(client: Client, path: string): Promise<Map<string, Body>> {
  const items = new Map<string, Body>()
  for (let after = ''; ; ) {
    const { body } = await client.get(`${path}?limit=100${after}`)
    const page = body.data as Body[]
    for (const item of page) items.set(`${path}/${item.id}`, item)
    if (page.length < 100) {
      expect(items.size).toBe(body.total)
      return items
    }
    after = `&after=${page.at(-1)?.id}`
  }
}

/** The answers to a create and to a GET differ in what only the latter shows. */
function isVersion(found: Body, acknowledged: Body): boolean {
  return found.updated_at === acknowledged.updated_at && isMatch(found, acknowledged)
}

/** Whether `found` has every member of `wanted`; those that are false are omitted. */
function isMatch(found: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return (found ?? false) === wanted
  if (typeof found !== 'object' || found === null) return false
  return Object.entries(wanted).every(([name, value]) => isMatch((found as Body)[name], value))
}

/** What a half-written object would leave in the database, and the words of SQLite itself. */
function verifyFile(folder: string): void {
  const database = new DatabaseSync(join(folder, 'data.db'))
  const value = (query: string) => Object.values(database.prepare(query).get() ?? {})[0]
  try {
    expect(value('pragma integrity_check')).toBe('ok')
    expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
    for (const [table, columns] of Object.entries({
      users: ['profile', 'metadata'],
      credentials: ['secret', 'metadata'],
      applications: ['logout_urls', 'redirect_urls', 'metadata'],
    })) {
      for (const column of columns) {
        expect(value(`select count(*) from ${table} where not json_valid(${column})`)).toBe(0)
      }
    }
    for (const [table, action] of [
      ['users', 'user'],
      ['applications', 'application'],
    ]) {
      const rows = value(`select count(*) from ${table}`)
      expect(value(`select sum(value) from counters where scope like '${table}:%'`)).toBe(rows)
      const audited = `select sum(action = '${action}.create') - sum(action = '${action}.delete') from audit`
      expect(value(audited) ?? 0).toBe(rows)
    }
  } finally {
    database.close()
  }
}

test(`killed ${ROUNDS} times during writes, the service has every acknowledged write and no partial one`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-crash-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const ledger: Ledger = { objects: new Map(), unanswered: { users: 0, applications: 0 } }
  const { key, tenant } = await (async () => {
    await using service = await createIdentityService({ data: folder })
    const { id } = await service.admin.createTenant({ domain: 'acme.example.com' })
    const { secret } = await service.admin.createApiKey({ name: 'storm', reach: 'all' })
    return { key: secret, tenant: `/v1/tenants/${id}` }
  })()

  let acknowledged = 0
  for (let round = 0; round < ROUNDS; round++) {
    const serving = await serveElsewhere(folder)
    onTestFinished(() => serving.kill())
    const client = clientOf(serving.origin, key)
    const storm = Promise.allSettled(
      Array.from({ length: WRITERS }, (_, i) => write(client, tenant, `${round}-${i}`, ledger)),
    )
    await sleep(50 + Math.random() * 250)
    await serving.kill()
    for (const end of await storm) {
      if (end.status === 'rejected' && end.reason instanceof Refused) throw end.reason
    }
    acknowledged += ledger.objects.size

    verifyFile(folder)
    await using service = await createIdentityService({
      data: folder,
      requestsPerSecond: 1_000_000,
    })
    const reader = clientOf('http://service.test', key, service.fetch)
    await verify(reader, tenant, ledger)
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS)
})
