import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installOnDebian } from './debian.ts'
import { freePort } from './free-port.ts'
import { ordinaryUser } from './postgres-server.ts'

const places = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer']

/** Where the PgBouncer of the tests is, if there is one; `LATCHKEY_PGBOUNCER` names another. */
export function pgbouncerPath(): string | undefined {
  return [process.env.LATCHKEY_PGBOUNCER ?? '', ...places].find((path) => existsSync(path))
}

/** Installs PgBouncer where there is none. It is not started. */
export function providePgbouncer(): void {
  if (pgbouncerPath()) return
  installOnDebian(
    ['pgbouncer'],
    'The tests need PgBouncer. Install it (Debian: sudo apt-get install pgbouncer), ' +
      'or set LATCHKEY_PGBOUNCER to the path of one.',
  )
}

/** A PgBouncer in transaction mode in front of a PostgreSQL of the tests. */
export interface TestPgbouncer extends AsyncDisposable {
  readonly port: number
  /** Whether it keeps track of prepared statements: since 1.21. */
  readonly keepsStatements: boolean
}

/**
 * Starts one.
 *
 * @param server - The port of the PostgreSQL.
 * @param poolSize - How many connections to it each database has.
 */
export async function startPgbouncer(server: number, poolSize = 10): Promise<TestPgbouncer> {
  const path = pgbouncerPath()
  if (!path) throw new Error('There is no PgBouncer; install it, or set LATCHKEY_PGBOUNCER.')
  const keepsStatements = isAtLeast(path, 1, 21)
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pgbouncer-'))
  const as = ordinaryUser()
  const port = await freePort()
  writeFileSync(join(folder, 'users'), '"latchkey" ""\n')
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=127.0.0.1 port=${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
${keepsStatements ? 'max_prepared_statements = 200' : ''}
`,
  )
  if (as) chownSync(folder, as.uid, as.gid)
  const child = spawn(path, [join(folder, 'pgbouncer.ini')], {
    ...as,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await listening(child)
  return {
    port,
    keepsStatements,
    async [Symbol.asyncDispose]() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGQUIT')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function listening(child: ChildProcess): Promise<void> {
  let complaint = ''
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-10_000)
      if (complaint.includes('process up')) resolve()
    })
    child.once('exit', () => reject(new Error(`PgBouncer did not start: ${complaint}`)))
  })
}

function isAtLeast(path: string, major: number, minor: number): boolean {
  const text = execFileSync(path, ['--version'], { encoding: 'utf8' })
  const [, found = 0, below = 0] = /PgBouncer (\d+)\.(\d+)/.exec(text)?.map(Number) ?? []
  return found > major || (found === major && below >= minor)
}
