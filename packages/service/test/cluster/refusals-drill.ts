import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startRedis, until } from '../../../session-store/test/support/redis.ts'
import { createIdentityService } from '../../src/service.ts'
import { run, temporaryFolder } from '../cli/support.ts'
import { createDatabase } from '../support/postgres.ts'
import type { Field } from './field.ts'
import { authorization } from './load.ts'

/** Commands that write into a data folder, and one that serves from it. */
export const writingCommands: readonly (readonly string[])[] = [
  ['serve', '--port', '0'],
  ['tenant', 'create', '--domain', 'late.example'],
  ['tenant', 'delete', 'ten_1', '--yes'],
  ['key', 'create', '--name', 'late', '--all-tenants'],
  ['operator', 'recover', '--email', 'late@example.com', '--console-url', 'https://c.example'],
  ['keys', 'rotate', '--tenant', 'ten_1'],
  ['application', 'rotate-secret', 'app_1', '--tenant', 'ten_1'],
  ['tenant', 'free-domain', 'moved.example'],
]

/**
 * Moves a data folder to a database beside that of the field, and runs commands on the folder.
 *
 * @returns How many commands refused it.
 * @throws when a command does not, or when anything in the folder has changed.
 */
export async function drillMovedFolder(field: Field, commands = writingCommands): Promise<number> {
  using folder = temporaryFolder()
  const data = join(folder.path, 'data')
  const before = await createIdentityService({ data })
  await before.admin.createTenant({ domain: 'moved.example' })
  await before.close()
  const database = await createDatabase({ port: field.postgres.port })
  // The one of the field holds sessions, so nothing can be moved into it.
  await using redis = await startRedis()
  const moved = await run([
    ...['move', '--data', data],
    ...['--database', database.url, '--redis', redis.url],
  ])
  await database.drop()
  if (moved.code !== 0) throw new Error(moved.stderr)

  const digest = digestOf(data)
  for (const words of commands) {
    const { code, stderr } = await run([...words, '--data', data])
    if (code !== 1 || !stderr.includes('was moved to PostgreSQL')) {
      throw new Error(`latchkey-service ${words.join(' ')} ended with ${code}: ${stderr}`)
    }
  }
  if (digestOf(data) !== digest) throw new Error('A command has changed the folder.')
  return commands.length
}

function digestOf(folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).toSorted()) {
    hash.update(name).update(readFileSync(join(folder, name)))
  }
  return hash.digest('hex')
}

/** Responses while a server is gone. */
export interface Refusals {
  /** Responses with 503, each of which says when to try again. */
  refused: number
  /** Other responses, none of which is an error of the service. */
  others: number
}

/**
 * Sends every kind of request while PostgreSQL or Redis is gone.
 *
 * @throws when a response has another error than 503, or a 503 does not say when to try again.
 */
export async function drillRetryAfter(field: Field, peer: 'postgres' | 'redis'): Promise<Refusals> {
  await areAnswered(field)
  await takeAway(field, peer)
  try {
    const login = authorization(field)
    await until('a login is refused', async () => (await ask(field, login)).status === 503)
    const found: Refusals = { refused: 0, others: 0 }
    for (const [path, init] of requests(field)) {
      const { status, retryAfter, text } = await ask(field, path, init)
      if (status < 500) found.others++
      else if (status !== 503) throw new Error(`${path} answered ${status}: ${text}`)
      else if (Number(retryAfter) > 0) found.refused++
      else throw new Error(`${path} answered 503 without retry-after: ${text}`)
    }
    return found
  } finally {
    await giveBack(field, peer)
    await until('pages are served again', () => areAnswered(field), 60)
  }
}

async function areAnswered(field: Field): Promise<boolean> {
  const all = await Promise.all([ask(field, '/reset'), ask(field, authorization(field))])
  return all.every(({ status }) => status < 400)
}

/** A request of each kind: pages, the protocol, the management API and ours beside it. */
function requests(field: Field): [path: string, init?: RequestInit][] {
  const { apiKey, tenant, client } = field
  const authorizationHeader = { authorization: `Bearer ${apiKey}` }
  const basic = btoa(`${client.id}:${encodeURIComponent(client.secret)}`)
  const form = (fields: Record<string, string>): RequestInit => ({
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${basic}`,
    },
    body: new URLSearchParams(fields).toString(),
  })
  return [
    [authorization(field)],
    ['/reset'],
    ['/account'],
    ['/oidc/token', form({ grant_type: 'refresh_token', refresh_token: 'x' })],
    ['/oidc/revoke', form({ token: 'x' })],
    ['/oidc/userinfo', { headers: { authorization: 'Bearer x' } }],
    [`${tenant}/users`, { headers: authorizationHeader }],
    [`${tenant}/applications`, { headers: authorizationHeader }],
    [`/x${tenant}/webhooks`, { headers: authorizationHeader }],
  ]
}

async function ask(field: Field, path: string, init?: RequestInit) {
  const answer = await field.fetch(new URL(path, field.url).href, { redirect: 'manual', ...init })
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    text: await answer.text(),
  }
}

async function takeAway({ postgres, redis }: Field, peer: 'postgres' | 'redis'): Promise<void> {
  if (peer === 'postgres') return postgres.stop()
  for (const one of [redis.sentinel, redis.master, redis.replica]) one.process.kill('SIGSTOP')
}

async function giveBack({ postgres, redis }: Field, peer: 'postgres' | 'redis'): Promise<void> {
  if (peer === 'postgres') return postgres.start()
  for (const one of [redis.replica, redis.master, redis.sentinel]) one.process.kill('SIGCONT')
}
