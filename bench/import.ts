/**
 * How fast users are brought over, in what memory, and whether kills lose or double any.
 *
 *   node --conditions=latchkey-source bench/import.ts [speed|kill|memory] [rows]
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { createManagementClient } from '@latchkey/management'

const packages = join(import.meta.dirname, '../packages')
const latchkey = join(packages, 'management/src/cli/main.ts')
const latchkeyService = join(packages, 'service/src/cli/main.ts')
const BCRYPT = '$2b$10$Rmj06lYZT6tgxjrYBdF.Q.J/KGz22BmtWk.LyLTQoj34W7BSjhZBC'
const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const [, , what = 'speed', count] = process.argv

try {
  if (what === 'memory') for (const rows of [10_000, 1_000_000]) await memory(Number(count ?? rows))
  else if (what === 'kill') await imported(Number(count ?? 100_000), 5)
  else {
    bareInserts(Number(count ?? 20_000))
    await imported(Number(count ?? 20_000), 0)
  }
} finally {
  rmSync(folder, { recursive: true })
}

/** The import into a service of its own, with an md5 hash in every 100th row when it is killed. */
async function imported(rows: number, kills: number): Promise<void> {
  const file = await writeTable(rows, kills > 0)
  const data = join(folder, 'data')
  const tenant = await output(['tenant', 'create', '--data', data, '--domain', 'login.example'])
  const key = await output(['key', 'create', '--data', data, '--name', 'b', '--tenant', tenant])
  const args = ['serve', '--data', data, '--port', '0', '--rate-limit', '1000000']
  const server = start(latchkeyService, args)
  const url = `http://127.0.0.1:${await portOf(server)}`
  const env = { LATCHKEY_URL: url, LATCHKEY_API_KEY: key }
  const client = createManagementClient({ baseUrl: url, apiKey: key })
  const began = performance.now()

  for (let kill = 1; kill <= kills; kill++) {
    const child = start(latchkey, ['users', 'import', file], env)
    const until = (rows * (kill - Math.random() / 2)) / (kills + 1)
    while ((await client.users(tenant).page({ limit: 1 })).total < until) await pause(100)
    child.kill('SIGKILL')
    await once(child, 'exit')
    console.log(`killed at ${Math.round(until)} users`)
  }
  const child = start(latchkey, ['users', 'import', file, '--concurrency', '64'], env)
  const usage = watch(child)
  const serverUsage = watch(server)
  await once(child, 'exit')
  const seconds = (performance.now() - began) / 1_000
  const { cpu, peak } = usage()
  console.log(`${rows} users in ${seconds.toFixed(1)} s: ${Math.round(rows / seconds)} users/s`)
  console.log(
    `client: ${cpu} s of CPU, ${peak} MiB at most; service: ${serverUsage().cpu} s of CPU`,
  )
  await verify(rows, client, tenant, `${file}.result.csv`)
  server.kill()
  await once(server, 'exit')
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
function bareInserts(rows: number): void {
  for (const batch of [1, 64]) {
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

/** The parts of an import that see every row, without a service. */
async function memory(rows: number): Promise<void> {
  const file = await writeTable(rows, false)
  const env = { LATCHKEY_URL: 'http://127.0.0.1:1', LATCHKEY_API_KEY: 'none' }
  const child = start(latchkey, ['users', 'import', file, '--dry-run'], env)
  const usage = watch(child)
  const began = performance.now()
  await once(child, 'exit')
  const seconds = (performance.now() - began) / 1_000
  console.log(`dry run of ${rows} rows: ${seconds.toFixed(1)} s, ${usage().peak} MiB at most`)
}

async function writeTable(rows: number, isMixed: boolean): Promise<string> {
  const file = join(folder, `users-${rows}.csv`)
  const out = createWriteStream(file)
  out.write('id,email,name,password_hash,algorithm\n')
  for (let n = 0; n < rows; n++) {
    const isMd5 = isMixed && n % 100 === 0
    const hash = isMd5 ? createHash('md5').update(`secret ${n}`).digest('hex') : BCRYPT
    const line = `user-${n},user-${n}@example.com,User ${n},${hash},${isMd5 ? 'md5' : 'bcrypt'}\n`
    if (!out.write(line)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  return file
}

function start(main: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ['--conditions=latchkey-source', main, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function output(args: string[]): Promise<string> {
  const child = start(latchkeyService, args)
  let text = ''
  child.stdout?.on('data', (chunk) => {
    text += chunk
  })
  await once(child, 'close')
  return text.trim()
}

async function portOf(server: ChildProcess): Promise<number> {
  if (!server.stdout) throw new Error('The service has no output.')
  for await (const line of createInterface({ input: server.stdout })) {
    const entry = JSON.parse(line)
    if (entry.msg === 'listening') {
      server.stdout.resume()
      return entry.port
    }
  }
  throw new Error('The service does not listen.')
}

/** CPU seconds from now on and the peak of memory of another process, read until it ends. */
function watch(child: ChildProcess): () => { cpu: number; peak: number } {
  const read = () => {
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    const peak = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
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
  }, 50)
  timer.unref()
  child.once('exit', () => clearInterval(timer))
  return () => ({ cpu: Math.round((last.cpu - begin.cpu) * 10) / 10, peak: last.peak })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
