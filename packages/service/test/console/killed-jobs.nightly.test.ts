import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IdentityServiceOptions } from '@latchkey/service'
import { expect, test } from 'vitest'
import { limit } from '../../../../test/support/limits.ts'
import { on, press, sendChanges, startConsole } from './support.ts'
import { aTenant } from './tenant.ts'

const CARRY_ON = join(import.meta.dirname, 'support-carry-on.ts')

const IMPORTED = 700
const DISABLED = 300

test(
  'an import and a bulk act go on in other processes after kill -9: no user is missed or taken twice',
  async () => {
    const masterKey = Buffer.alloc(32, 7).toString('base64')
    const options = { ...on('SQLite'), masterKey }
    const data = options.data ?? ''
    const { tenantId, importId } = await begin(options)
    const database = new DatabaseSync(join(data, 'data.db'), { readOnly: true })
    const count = (sql: string): number => Number(database.prepare(sql).get()?.n)
    const progress = () =>
      count(`select (select count(*) from users where tenant_id = '${tenantId}')
      + (select count(*) from users where tenant_id = '${tenantId}' and disabled = 1) as n`)

    let kills = 0
    while (count(`select count(*) as n from jobs where state = 'running'`) > 0) {
      const before = progress()
      const child = await carryOn(data, masterKey)
      // A killed process holds its job for another 30 seconds.
      while (
        progress() < before + 250 &&
        count(`select count(*) as n from jobs where state = 'running'`) > 0
      ) {
        await sleep(20)
      }
      child.kill('SIGKILL')
      await once(child, 'exit')
      kills++
    }
    expect(kills).toBeGreaterThan(2)
    const one = (sql: string) => database.prepare(sql).get()
    const entries = (action: string) =>
      one(`select count(*) as entries, count(distinct target) as users from audit
      where tenant_id = '${tenantId}' and action = '${action}' and actor like 'operator:%'`)
    expect({ ...entries('user.create') }).toEqual({ entries: IMPORTED, users: IMPORTED })
    expect({ ...entries('user.update') }).toEqual({ entries: DISABLED, users: DISABLED })
    const job = one(`select progress from jobs where id = '${importId}'`)
    expect(JSON.parse(String(job?.progress))).toMatchObject({
      created: IMPORTED,
      existing: 0,
      refused: 0,
    })
    database.close()

    await using running = await startConsole(options)
    const owner = await running.logIn({ role: 'owner' })
    expect((await owner.get(`/console/t/${tenantId}/jobs`)).html.match(/>done</g)).toHaveLength(2)
  },
  limit(600),
)

/** Begins two jobs, and stops before they are through. */
async function begin(options: IdentityServiceOptions) {
  await using running = await startConsole(options)
  const tenant = await aTenant(running)
  const settings = { domain: tenant.domain }
  const users = Array.from({ length: DISABLED }, (_, i) => ({
    profile: { email: `old${i}@example.com` },
  }))
  await running.service.admin.seed({ tenants: [{ settings, users }] })
  const owner = await running.logIn({ role: 'owner' })
  const path = `${tenant.path}/users/import`
  const text = ['email', ...Array.from({ length: IMPORTED }, (_, i) => `new${i}@example.com`)].join(
    '\n',
  )
  const uploaded = await press(owner, await owner.get(path), path, { text })
  const at = uploaded.location ?? ''
  const job = new URL(at, 'https://console.example').searchParams.get('job') ?? ''
  await press(owner, await owner.get(at), `${path}/check`, { job })
  let checked = await owner.get(at)
  while (checked.html.includes('loaded again')) checked = await owner.get(at)
  await sendChanges(owner, `${path}/begin`, {}, { opened: checked })
  const list = `${tenant.path}/users`
  const all = { act: 'disable', of: 'all', search: 'old', state: '' }
  await press(
    owner,
    await owner.get(`${list}/bulk?${new URLSearchParams(all)}`),
    `${list}/bulk`,
    all,
  )
  return { tenantId: tenant.id, importId: job }
}

async function carryOn(data: string, masterKey: string): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ['--conditions=latchkey-source', CARRY_ON, data, masterKey],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return child
}
