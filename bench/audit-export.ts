import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteDataStore } from '../packages/service/src/store/sqlite/data-store.ts'
import { createDatabase } from '../packages/service/test/support/postgres.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

/**
 * The rate and the memory of `latchkey-service audit export` over ROWS entries, as NDJSON and as CSV, from SQLite and from
 * PostgreSQL. The reader of its output counts lines and keeps none.
 */
const ROWS = Number(process.env.ROWS ?? 10_000_000)
const BATCH = 500_000
const STEP_MICROS = 3_000_000
const key = Buffer.alloc(32, 7).toString('base64')
const command = new URL('../packages/service/src/cli/main.ts', import.meta.url).pathname

const columns =
  'at, tenant_id, actor, request_id, action, target, outcome, address, user_agent, fields'

/** The members of an entry as a user's change through the API leaves them, for the number `n`. */
const values = `1760000000000000 + n * ${STEP_MICROS},
  'ten_01JD' || (n % 100), 'key:key_01JD' || (n % 300),
  '3f1c2b7a-0c5e-4c57-9a1d-' || (100000000000 + n), 'user.update', 'usr_01JD' || (n % 1000000),
  'success', '192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0', '["profile.name"]'`

async function onSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-export-'))
  await (await openSqliteDataStore(folder)).close()
  const db = new DatabaseSync(join(folder, 'data.db'))
  db.exec('pragma synchronous = off')
  for (let from = 0; from < ROWS; from += BATCH) {
    db.exec(`insert into audit (${columns}) with recursive numbers(n) as (select ${from} union all
      select n + 1 from numbers where n + 1 < ${Math.min(from + BATCH, ROWS)})
      select ${values} from numbers`)
  }
  db.close()
  await measure('SQLite', ['--data', folder])
  rmSync(folder, { recursive: true })
}

async function onPostgres(): Promise<void> {
  await using postgres = await startPostgres()
  const database = await createDatabase({ port: postgres.port })
  for (let from = 0; from < ROWS; from += BATCH) {
    await database.query(`insert into audit (${columns}) select ${values}
      from generate_series(${from}::bigint, ${Math.min(from + BATCH, ROWS) - 1}::bigint) as n`)
  }
  await database.query('analyze audit')
  await measure('PostgreSQL', ['--database', database.url])
}

async function measure(store: string, where: string[]): Promise<void> {
  for (const format of ['ndjson', 'csv']) {
    const begun = performance.now()
    const args = ['audit', 'export', ...where, '--master-key', key, '--format', format]
    const child = spawn(process.execPath, ['--conditions=latchkey-source', command, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let [lines, early, peak] = [0, 0, 0]
    const looking = setInterval(() => {
      const text = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const rss = Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024
      if (lines < ROWS / 10) early = Math.max(early, rss)
      peak = Math.max(peak, rss)
    }, 200)
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
    }
    clearInterval(looking)
    const seconds = (performance.now() - begun) / 1_000
    const rows = lines - (format === 'csv' ? 1 : 0)
    console.log(
      `${store}, ${format}: ${rows} entries in ${seconds.toFixed(0)} s, ${Math.round(rows / seconds)} a second; ` +
        `${early.toFixed(0)} MB within the first tenth, at most ${peak.toFixed(0)} MB`,
    )
  }
}

await onSqlite()
await onPostgres()
