import { startField } from '../packages/service/test/cluster/field.ts'
import {
  authorization,
  ensureUser,
  fetchOf,
  redeem,
} from '../packages/service/test/cluster/load.ts'
import { createBrowser } from '../packages/service/test/issuer/support/browser.ts'
import { bcryptOf, PASSWORD } from '../packages/service/test/support/hashes.ts'

/**
 * The space that users, credentials and the audit log take in PostgreSQL, indexes included, and a login in Redis. USERS are
 * imported with a password each; LOGINS of them log in and redeem their code.
 */
const USERS = Number(process.env.USERS ?? 20_000)
const LOGINS = Number(process.env.LOGINS ?? 100)
const BATCH = 100

await using field = await startField()
const fetch = fetchOf(field)
const { database } = field.cluster

async function sizeOf(table: string): Promise<{ rows: number; bytes: number }> {
  const [found] = await database.query(
    `select (select count(*) from ${table})::int as rows, pg_total_relation_size('${table}')::int as bytes`,
  )
  return found as { rows: number; bytes: number }
}

async function redisBytes(): Promise<number> {
  const facts = await field.redis.master.inspect((redis) => redis.info('memory'))
  return Number(/used_memory_dataset:(\d+)/.exec(facts)?.[1])
}

async function importUsers(from: number): Promise<void> {
  const users = Array.from({ length: BATCH }, (_, n) => ({
    profile: {
      email: `user-${from + n}@customers.example`,
      given_name: 'Ada',
      family_name: 'Lovelace',
    },
    password: { alg: 'bcrypt', hash: bcryptOf[8] },
  }))
  const answer = await fetch(`${field.url}/x${field.tenant}/users/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${field.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ users }),
  })
  if (answer.status !== 200) throw new Error(await answer.text())
}

async function logIn(email: string): Promise<void> {
  const browser = createBrowser({ url: field.url, fetch })
  const landed = await browser.submit(await browser.get(authorization(field)), {
    email,
    password: PASSWORD,
  })
  const code = new URL(landed.location ?? '').searchParams.get('code')
  if (!code || !(await redeem(field, code))) throw new Error('The login did not end.')
}

for (let n = 0; n < USERS; n += BATCH) await importUsers(n)
for (const table of ['users', 'credentials', 'audit']) {
  const { rows, bytes } = await sizeOf(table)
  console.log(`${table}: ${rows} rows, ${(bytes / rows).toFixed(0)} bytes each`)
}
const emails = Array.from({ length: LOGINS }, (_, n) => `login-${n}@customers.example`)
for (const email of emails) await ensureUser(field, email)
const [audit, redis] = [await sizeOf('audit'), await redisBytes()]
for (const email of emails) await logIn(email)
const after = await sizeOf('audit')
console.log(`a login: ${((after.rows - audit.rows) / LOGINS).toFixed(1)} audit entries`)
console.log(`a login: ${(((await redisBytes()) - redis) / LOGINS).toFixed(0)} bytes in Redis`)
