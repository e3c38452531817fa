/**
 * How fast users are brought over, in what memory, and whether kills lose or double any.
 *
 *   node --conditions=latchkey-source bench/import.ts [speed|kill|memory] [rows]
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { createManagementClient } from '@latchkey/management'
import { createLogIn, type Where } from '../packages/management/test/support/log-in.ts'

const latchkey = join(import.meta.dirname, '../packages/management/src/cli/main.ts')
const service = join(import.meta.dirname, 'servers/import.ts')
const BCRYPT = '$2b$10$Rmj06lYZT6tgxjrYBdF.Q.J/KGz22BmtWk.LyLTQoj34W7BSjhZBC'
const PASSWORD = 'correct horse'
const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const [, , what = 'speed', count] = process.argv

try {
  if (what === 'memory') {
    const sizes = count === undefined ? [10_000, 1_000_000] : [Number(count)]
    for (const rows of sizes) await memory(rows)
  } else if (what === 'kill') await killed(Number(count ?? 100_000), 5)
  else await speed(Number(count ?? 20_000))
} finally {
  rmSync(folder, { recursive: true })
}

/** A service, with a key for those who do not import. */
type Served = Where & { otherKey: string }

/** Each way of three interleaved rounds, with the time that others wait for a GET meanwhile. */
async function speed(rows: number): Promise<void> {
  for (let round = 1; round <= 3; round++) {
    bareInserts(rows)
    const { where, server } = await startService('bulk', [])
    const nothing = start('--eval', ['setTimeout(() => {}, 3000)'])
    console.log(`no import: GET ${await probe(where, nothing)}`)
    await stop(server)
    for (const [name, mode, ...limit] of [
      ['one by one, no limit', 'one-by-one', '1000000'],
      ['in hundreds, no limit', 'bulk', '1000000'],
      ['in hundreds, the limit as it is', 'bulk'],
    ] as const) {
      const { where, server } = await startService(mode, limit)
      const file = await writeTable(rows, 0)
      const child = start(latchkey, ['users', 'import', file, '--concurrency', '64'], envOf(where))
      const usage = watch(child)
      const serverUsage = watch(server)
      const waits = probe(where, child)
      const began = performance.now()
      await once(child, 'exit')
      const seconds = (performance.now() - began) / 1_000
      console.log(
        `${name}: ${rows} users in ${seconds.toFixed(1)} s: ${Math.round(rows / seconds)} users/s; ` +
          `CPU: command ${usage().cpu} s, service ${serverUsage().cpu} s; GET ${await waits}`,
      )
      await stop(server)
      rmSync(folder, { recursive: true })
      mkdirSync(folder)
    }
  }
}

/** GETs one tenant every few milliseconds, with a key of its own, until the process ends. */
async function probe({ url, otherKey, tenantId }: Served, child: ChildProcess): Promise<string> {
  const client = createManagementClient({ baseUrl: url, apiKey: otherKey })
  const waits: number[] = []
  while (child.exitCode === null) {
    const began = performance.now()
    await client.tenants.get(tenantId)
    waits.push(performance.now() - began)
    await pause(20)
  }
  waits.sort((a, b) => a - b)
  const quantile = (q: number) => (waits[Math.floor(waits.length * q)] ?? 0).toFixed(1)
  return `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, of ${waits.length}`
}

/** An import that is killed again and again, and logins with the old passwords after it. */
async function killed(rows: number, kills: number): Promise<void> {
  const { where, server } = await startService('bulk', [])
  const file = await writeTable(rows, 100)
  const client = createManagementClient({ baseUrl: where.url, apiKey: where.key })
  const users = client.users(where.tenantId)
  const began = performance.now()
  for (let kill = 1; kill <= kills; kill++) {
    const child = start(latchkey, ['users', 'import', file], envOf(where))
    const until = (rows * (kill - Math.random() / 2)) / (kills + 1)
    while ((await users.page({ limit: 1 })).total < until) await pause(20)
    child.kill('SIGKILL')
    await once(child, 'exit')
    console.log(`killed at ${(await users.page({ limit: 1 })).total} users`)
  }
  const child = start(latchkey, ['users', 'import', file], envOf(where))
  const usage = watch(child)
  const [code] = await once(child, 'exit')
  const seconds = (performance.now() - began) / 1_000
  console.log(
    `ended with ${code} after ${seconds.toFixed(1)} s; last run ${usage().peak} MiB at most`,
  )
  await verify(rows, client, where.tenantId, `${file}.result.csv`)
  await logIns(rows, where)
  await stop(server)
}

/** Logs in as a sample of users, every other one of which came with an md5 hash. */
async function logIns(rows: number, where: Where): Promise<void> {
  const logIn = await createLogIn(where)
  const reached = async (n: number, password: string) =>
    (await logIn(`user-${n}@example.com`, password)).includes('code=')
  let good = 0
  let wrong = 0
  const sample = 20
  for (let n = 0; n < sample; n++) {
    const hundred = Math.floor(Math.random() * (rows / 100)) * 100
    const isMd5 = n % 2 === 0
    const row = isMd5 ? hundred : hundred + 1 + (n % 99)
    if (await reached(row, isMd5 ? `secret ${row}` : PASSWORD)) good++
    if (await reached(row, 'wrong')) wrong++
  }
  console.log(`${good} of ${sample} log in with their old password, ${wrong} with a wrong one`)
}

async function verify(
  rows: number,
  client: ReturnType<typeof createManagementClient>,
  tenant: string,
  resultFile: string,
): Promise<void> {
  const emails = new Map<string, string>()
  for await (const { id, profile } of client.users(tenant).list()) emails.set(id, profile.email)
  const mapping = readFileSync(resultFile, 'utf8').trim().split('\n').slice(1)
  const good = mapping.filter((line) => {
    const [old = '', id = ''] = line.split(',')
    return emails.get(id) === `${old}@example.com`
  })
  const distinct = new Set(emails.values()).size
  console.log(`${rows} rows: ${emails.size} users, ${distinct} addresses, ${good.length} mapped`)
}

/** Durable inserts of a user and a credential with nothing around them. */
function bareInserts(all: number): void {
  for (const batch of [1, 64]) {
    const rows = batch === 1 ? all / 10 : all
    const db = new DatabaseSync(join(folder, `bare-${batch}.db`))
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    db.exec('CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT UNIQUE, body TEXT)')
    db.exec('CREATE TABLE credentials (user_id TEXT PRIMARY KEY, body TEXT)')
    const user = db.prepare('INSERT INTO users VALUES (?, ?, ?)')
    const credential = db.prepare('INSERT INTO credentials VALUES (?, ?)')
    const began = performance.now()
    for (let n = 0; n < rows; n += batch) {
      for (const [statement, table] of [
        [user, 'u'],
        [credential, 'c'],
      ] as const) {
        db.exec('BEGIN')
        for (let m = n; m < Math.min(n + batch, rows); m++) {
          const id = `usr_${String(m).padStart(26, '0')}`
          if (table === 'u') statement.run(id, `user-${m}@example.com`, '{"name":"User"}')
          else statement.run(id, BCRYPT)
        }
        db.exec('COMMIT')
      }
    }
    const perSecond = Math.round(rows / ((performance.now() - began) / 1_000))
    console.log(`bare durable inserts, ${batch} to a commit: ${perSecond} users/s`)
    db.close()
  }
}

/** The memory of the command that imports. */
async function memory(rows: number): Promise<void> {
  const { where, server } = await startService('bulk', [])
  const file = await writeTable(rows, 0)
  const child = start(latchkey, ['users', 'import', file], envOf(where))
  const usage = watch(child)
  const began = performance.now()
  await once(child, 'exit')
  const seconds = (performance.now() - began) / 1_000
  const rate = Math.round(rows / seconds)
  console.log(
    `import of ${rows} rows: ${seconds.toFixed(1)} s, ${rate} users/s, ${usage().peak} MiB at most, ` +
      `${usage().floor} MiB at least in its second half`,
  )
  await stop(server)
}

/** Every `md5Every`th row has an md5 hash; none when it is 0. */
async function writeTable(rows: number, md5Every: number): Promise<string> {
  const file = join(folder, `users-${rows}.csv`)
  const out = createWriteStream(file)
  out.write('id,email,name,password_hash,algorithm\n')
  for (let n = 0; n < rows; n++) {
    const isMd5 = md5Every > 0 && n % md5Every === 0
    const hash = isMd5 ? createHash('md5').update(`secret ${n}`).digest('hex') : BCRYPT
    const line = `user-${n},user-${n}@example.com,User ${n},${hash},${isMd5 ? 'md5' : 'bcrypt'}\n`
    if (!out.write(line)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  return file
}

async function startService(
  mode: string,
  more: readonly string[],
): Promise<{ where: Served; server: ChildProcess }> {
  const server = start(service, [mkdtempSync(join(folder, 'data-')), mode, ...more])
  if (!server.stdout) throw new Error('The service has no output.')
  for await (const line of createInterface({ input: server.stdout })) {
    server.stdout.resume()
    return { where: JSON.parse(line), server }
  }
  throw new Error('The service does not listen.')
}

async function stop(server: ChildProcess): Promise<void> {
  server.kill()
  await once(server, 'exit')
}

function envOf({ url, key }: Where): Record<string, string> {
  return { LATCHKEY_URL: url, LATCHKEY_API_KEY: key }
}

function start(main: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ['--conditions=latchkey-source', main, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/**
 * CPU seconds from now on and the peak of memory of another process, read until it ends. The floor of
 * its second half is what is left when garbage was collected.
 */
function watch(child: ChildProcess): () => { cpu: number; peak: number; floor: number } {
  const sizes: number[] = []
  const read = () => {
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    const mebibytes = (name: string) =>
      Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024)
    const peak = mebibytes('VmHWM')
    if (peak > 0) sizes.push(mebibytes('VmRSS'))
    return { cpu: (Number(stat[11]) + Number(stat[12])) / 100, peak }
  }
  const begin = read()
  let last = begin
  const timer = setInterval(() => {
    try {
      const next = read()
      if (next.peak > 0) last = next
    } catch {
      clearInterval(timer)
    }
  }, 200)
  timer.unref()
  child.once('exit', () => clearInterval(timer))
  return () => ({
    cpu: Math.round((last.cpu - begin.cpu) * 10) / 10,
    peak: last.peak,
    floor: Math.min(...sizes.slice(sizes.length / 2)),
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
