import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBrowser } from '../issuer/support/browser.ts'
import { bcryptOf, PASSWORD } from '../support/hashes.ts'
import { type Field, masterOf } from './field.ts'
import { authorization, ensureUser, fetchOf, redeem } from './load.ts'

const BATCH = 100
/** The first logins fill what each process has once in Redis: its scripts and connections. */
const WARM_UP = 40

/** Bytes of PostgreSQL, indexes included, and of Redis. Their names are those of the table of measurements. */
export interface Sizes {
  'a user with a name, in PostgreSQL': number
  'a password': number
  /** With the names that it keeps. */
  'an entry of the audit log': number
  /** Without its redeemed code, which lives for a minute. */
  'a login with its session and tokens, in Redis': number
  'of which after an hour': number
}

/** Imports users with a password each, logs some in, and weighs what is stored then. */
export async function measureSizes(
  field: Field,
  { users, logins }: { users: number; logins: number },
): Promise<{ sizes: Sizes; entriesOfLogin: number }> {
  for (let n = 0; n < users; n += BATCH) await importUsers(field, n)
  const each = async (table: string) => {
    const { rows, bytes } = await sizeOf(field, table)
    return Math.round(bytes / rows)
  }
  const user = (await each('users')) + (await each('user_texts'))
  const password = await each('credentials')
  const [log, details] = [await sizeOf(field, 'audit'), await sizeOf(field, 'audit_details')]
  const entry = Math.round((log.bytes + details.bytes) / log.rows)
  const all = Array.from({ length: WARM_UP + logins }, (_, n) => `login-${n}@customers.example`)
  for (const email of all) await ensureUser(field, email)
  const [first, emails] = [all.slice(0, WARM_UP), all.slice(WARM_UP)]
  for (const email of first) await logIn(field, email)
  await forgetSoonExpired(field)
  const [audit, redis] = [await sizeOf(field, 'audit'), await redisBytes(field)]
  for (const email of emails) await logIn(field, email)
  const after = await sizeOf(field, 'audit')
  await forgetSoonExpired(field, MINUTE_MS)
  const login = (await redisBytes(field)) - redis
  await forgetSoonExpired(field)
  return {
    sizes: {
      'a user with a name, in PostgreSQL': user,
      'a password': password,
      'an entry of the audit log': entry,
      'a login with its session and tokens, in Redis': Math.round(login / logins),
      'of which after an hour': Math.round(((await redisBytes(field)) - redis) / logins),
    },
    entriesOfLogin: (after.rows - audit.rows) / logins,
  }
}

/** By how much a size may differ from the table: fewer rows fill their pages and indexes less evenly. */
const TOLERANCE = 0.25

const table = join(import.meta.dirname, '../../../../bench/README.md')

/**
 * Weighs fewer rows than `bench/sizes.ts` does.
 *
 * @throws when a size is not that of the table of measurements, from which the guide multiplies its own.
 */
export async function drillSizes(field: Field): Promise<string> {
  const { sizes } = await measureSizes(field, { users: 5_000, logins: 400 })
  const text = readFileSync(table, 'utf8')
  const compared = Object.entries(sizes).map(([what, bytes]) => {
    const [, stated = ''] = new RegExp(`^\\| ${what} +\\| +([\\d,]+) +\\|$`, 'm').exec(text) ?? []
    return { what, bytes, stated: Number(stated.replace(',', '')) }
  })
  const found = compared.map(({ what, bytes, stated }) => `${what} ${bytes} (${stated})`).join(', ')
  const isOff = compared.some(({ bytes, stated }) => !(Math.abs(bytes / stated - 1) <= TOLERANCE))
  if (isOff) throw new Error(found)
  return `bytes, and those of the table: ${found}`
}

async function sizeOf(
  { cluster: { database } }: Field,
  table: string,
): Promise<{ rows: number; bytes: number }> {
  const [found] = await database.query(
    `select (select count(*) from ${table})::int as rows, pg_total_relation_size('${table}')::int as bytes`,
  )
  return found as { rows: number; bytes: number }
}

async function redisBytes(field: Field): Promise<number> {
  const facts = await (await masterOf(field)).inspect((one) => one.info('memory'))
  return Number(/used_memory_dataset:(\d+)/.exec(facts)?.[1])
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Removes what Redis would remove within this time. A code lives for a minute: how many are left when the last login ends
 * depends on the speed of the machine, and on a busy one Sentinel may take the first Redis for gone.
 */
async function forgetSoonExpired(field: Field, withinMs = HOUR_MS): Promise<void> {
  await (await masterOf(field)).inspect(async (one) => {
    for (const key of await one.keys('*')) {
      const ms = await one.pttl(key)
      if (ms > 0 && ms <= withinMs) await one.del(key)
    }
  })
}

async function importUsers(field: Field, from: number): Promise<void> {
  const users = Array.from({ length: BATCH }, (_, n) => ({
    profile: {
      email: `user-${from + n}@customers.example`,
      given_name: 'Ada',
      family_name: 'Lovelace',
    },
    password: { alg: 'bcrypt', hash: bcryptOf[8] },
  }))
  const answer = await fetchOf(field)(`${field.url}/x${field.tenant}/users/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${field.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ users }),
  })
  if (answer.status !== 200) throw new Error(await answer.text())
}

async function logIn(field: Field, email: string): Promise<void> {
  const browser = createBrowser({ url: field.url, fetch: fetchOf(field) })
  const landed = await browser.submit(await browser.get(authorization(field)), {
    email,
    password: PASSWORD,
  })
  const code = new URL(landed.location ?? '').searchParams.get('code')
  if (!code || !(await redeem(field, code))) throw new Error('The login did not end.')
}
