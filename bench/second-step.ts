/**
 * The cost of the second step by an authenticator app: the check of a code with all that is
 * written for it, on SQLite.
 *
 *   node --conditions=latchkey-source bench/second-step.ts
 */
import { EventEmitter } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../packages/service/src/clock.ts'
import { giveAuthenticatorApp } from '../packages/service/src/domain/factors/authenticator-app.ts'
import { proveTotp } from '../packages/service/src/domain/factors/factors.ts'
import { createTenant, defaultSettings } from '../packages/service/src/domain/tenants/tenants.ts'
import { noLeakedPasswords } from '../packages/service/src/domain/users/leaked-passwords.ts'
import { createPasswordEngine } from '../packages/service/src/domain/users/password-engine.ts'
import { createUser } from '../packages/service/src/domain/users/users.ts'
import type { DomainContext, Scope } from '../packages/service/src/domain/writes/context.ts'
import { createVault } from '../packages/service/src/domain/writes/vault.ts'
import { openSqliteDataStore } from '../packages/service/src/store/sqlite/data-store.ts'

const STEPS = 2_000
const COUNTED = 50

const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const store = await openSqliteDataStore(folder)
try {
  const apps = await prepare()
  const counted = apps.splice(0, COUNTED)
  const written: number[] = []
  for (const { prove } of counted) {
    const before = commits()
    await prove()
    written.push(commits() - before)
  }
  // Where the log starts over there is nothing to compare.
  const writes = new Set(written.filter((count) => count >= 0))

  const half = apps.length / 2
  console.table({
    'one after another': { ...(await measure(apps.slice(0, half), 1)), writes: [...writes].join() },
    '8 at a time': await measure(apps.slice(half), 8),
  })
} finally {
  await store.close()
  rmSync(folder, { recursive: true })
}

/** Judges codes, some of them at the same time. */
async function measure(apps: readonly { prove(): Promise<void> }[], atOnce: number) {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  for (let n = 0; n < apps.length; n += atOnce) {
    await Promise.all(apps.slice(n, n + atOnce).map(({ prove }) => prove()))
  }
  const { user, system } = process.cpuUsage(cpu)
  const per = (millis: number) => Number((millis / apps.length).toFixed(3))
  return {
    'CPU a step (ms)': per((user + system) / 1000),
    'time a step (ms)': per(performance.now() - begun),
  }
}

/** Users with an app each, whose code is judged once. */
async function prepare(): Promise<{ prove(): Promise<void> }[]> {
  const context: DomainContext = {
    store,
    clock: systemClock,
    passwords: createPasswordEngine(),
    leaks: noLeakedPasswords,
    vault: createVault(new Uint8Array(32).fill(7)),
    domains: { allowLoopback: true, apiHosts: [], verification: 'none' },
    allowDeveloperMode: false,
    events: new EventEmitter(),
  }
  const admin = { context, actor: { name: 'bench' } }
  const settings = { ...defaultSettings, domain: 'login.example.com', allowTotpApp: true }
  const { id } = await createTenant(admin, { name: 'Bench', metadata: {}, settings })
  const scope: Scope = { ...admin, tenantId: id }
  return Promise.all(
    Array.from({ length: STEPS + COUNTED }, async (_, n) => {
      const user = await createUser(scope, {
        email: `user-${n}@example.com`,
        emailVerified: true,
        disabled: false,
        metadata: {},
        profile: {},
      })
      const app = await giveAuthenticatorApp(scope, user.id)
      const code = app.code()
      return {
        async prove() {
          if (!(await proveTotp(scope, user.id, code))) throw new Error('A code was refused.')
        },
      }
    }),
  )
}

/** How many transactions the log of the database holds. @see https://sqlite.org/fileformat2.html#walformat */
function commits(): number {
  const log = readFileSync(join(folder, 'data.db-wal'))
  const frame = 24 + log.readUInt32BE(8)
  let count = 0
  for (let at = 32; at + frame <= log.length; at += frame) {
    const isOfThisLog = log.readUInt32BE(at + 8) === log.readUInt32BE(16)
    if (isOfThisLog && log.readUInt32BE(at + 4) !== 0) count++
  }
  return count
}
