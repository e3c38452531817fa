import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installOnDebian } from './debian.ts'
import { freePort } from './free-port.ts'
import { notTried, reasonOf } from './shared.ts'

const REMEDY =
  'The tests need PostgreSQL 14 or newer. Install it (Debian: sudo apt-get install postgresql), ' +
  'or set LATCHKEY_POSTGRES to the folder that holds initdb and postgres.'

/** The folder of PostgreSQL's programs, if there is one; `LATCHKEY_POSTGRES` names another. */
export function postgresPath(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => +b - +a) : []
  return [
    process.env.LATCHKEY_POSTGRES ?? '',
    ...versions.map((version) => `${debian}/${version}/bin`),
    '/usr/local/bin',
    '/opt/homebrew/bin',
  ].find((folder) => existsSync(join(folder, 'initdb')))
}

/** Installs PostgreSQL where there is none. It is not started. */
export function providePostgres(): void {
  if (!postgresPath()) installOnDebian(['postgresql'], REMEDY)
}

/** A PostgreSQL of the tests, on a loopback port and in a folder of its own. */
export interface TestPostgres {
  readonly port: number
  /** Of the process that starts all others. */
  readonly pid: number | undefined
  /** The address of one of its databases. */
  url(database?: string): string
  /** As `pg_ctl stop` does: with `fast`, sessions are ended; with `immediate`, as in a power cut. */
  stop(how?: 'fast' | 'immediate'): Promise<void>
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a PostgreSQL; nothing in it outlives the tests, so that it need not wait for the disk. */
export async function startPostgres(): Promise<TestPostgres> {
  const programs = postgresPath()
  if (!programs) throw new Error(REMEDY)
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-postgres-'))
  const as = ordinaryUser()
  if (as) chownSync(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  const flags = [
    '--no-sync',
    '--auth=trust',
    '--username=latchkey',
    '--encoding=UTF8',
    '--locale=C',
  ]
  execFileSync(join(programs, 'initdb'), ['-D', data, ...flags], { ...as, stdio: 'ignore' })
  const port = await freePort()
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    let complaint = ''
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${folder}`,
      'fsync=off',
      'max_connections=600',
      'shared_buffers=64MB',
    ]
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    const options: SpawnOptions = { ...as, stdio: ['ignore', 'ignore', 'pipe'] }
    const child = spawn(join(programs as string, 'postgres'), args, options)
    server = child
    child.stderr?.setEncoding('utf8')
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on('data', (text: string) => {
        complaint = (complaint + text).slice(-10_000)
        if (text.includes('ready to accept connections')) resolve()
      })
      child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${complaint}`)))
    })
  }

  async function stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const gone = new Promise((resolve) => server?.once('exit', resolve))
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await gone
  }

  await start()
  return {
    port,
    get pid() {
      return server?.pid
    },
    url: (database = 'postgres') => `postgres://latchkey@127.0.0.1:${port}/${database}`,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whom to run as: PostgreSQL and PgBouncer do not run as root. */
export function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = ['postgres', 'nobody']
    .map((name) => users.find((user) => user.startsWith(`${name}:`)))
    .find((found) => found !== undefined)
  const [, , uid, gid] = line?.split(':') ?? []
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) }
}

/** Where test files ask for the PostgreSQL that they share. */
const ASK = 'LATCHKEY_TEST_POSTGRES_PORT'

/** Runs before all tests: starts one PostgreSQL for all files as soon as the first asks for it. */
export async function servePostgres(): Promise<() => Promise<void>> {
  let started: Promise<TestPostgres> | undefined
  const door = createServer((socket) => {
    const isFirst = !started
    started ??= startPostgres()
    started.then(
      (postgres) => socket.end(String(postgres.port)),
      (error) => socket.end(isFirst ? String(error) : reasonOf('PostgreSQL', error)),
    )
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  process.env[ASK] = String((door.address() as { port: number }).port)
  return async () => {
    door.close()
    await (await started?.catch(() => undefined))?.[Symbol.asyncDispose]()
  }
}

/** The port of the PostgreSQL that all test files share. */
export async function sharedPostgres(): Promise<number> {
  let answer = ''
  for await (const chunk of connect(Number(process.env[ASK]), '127.0.0.1')) answer += chunk
  if (answer.startsWith('not tried')) notTried(answer)
  if (!/^\d+$/.test(answer)) throw new Error(answer)
  return Number(answer)
}
