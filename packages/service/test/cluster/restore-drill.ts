import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { postgresPath, startPostgres } from '../../../../test/support/postgres-server.ts'
import { until } from '../../../session-store/test/support/redis.ts'
import { run, temporaryFolder } from '../cli/support.ts'
import { serveElsewhere } from '../store/serving.ts'
import { startReceiver as startEndpoint } from '../webhooks/endpoint.ts'
import type { Field } from './field.ts'
import { fetchOf } from './load.ts'
import { disable, logInMany, setReceiver, startReceiver } from './notices-drill.ts'

const shell = join(import.meta.dirname, '../../../../examples/guides/shell')

/** What a restored PostgreSQL has, and what it sent on. */
export interface RestoreFindings {
  /** Entries of the audit log, each of which is exported. */
  entries: number
  /** Logout notices and webhooks that arrived more than once. */
  twice: { notices: number; webhooks: number }
  slowest: number
}

/** How long a notice and a webhook may take after the restore. */
const PATIENCE_SECONDS = 60

/**
 * Restores a dump of PostgreSQL into a fresh server by the guide, serves from there, and disables users who were
 * logged in before.
 *
 * @throws when an entry of the audit log, a logout notice or a webhook is missing, or `doctor` finds something.
 */
export async function drillRestore(field: Field, count: number): Promise<RestoreFindings> {
  const told = new Map<string, number[]>()
  await using receiver = await startReceiver(told)
  await using endpoint = await startEndpoint()
  await setReceiver(field, receiver.url)
  endpoint.secrets.push(await addEndpoint(field, endpoint.url))
  const users = await logInMany(field, count)

  const { cluster } = field
  await using fresh = await startPostgres()
  const url = fresh.url('latchkey')
  const before = [...cluster.processes]
  await Promise.all(before.map((one) => one.stop()))
  copy(cluster.database.url, fresh.port, url)
  const entries = await exported(field, url)
  const [there] = await cluster.database.query('select count(*)::int as n from audit')
  // The beginning of the export is an entry itself, in the copy alone.
  const copied = entries - 1
  if (copied !== there?.n) throw new Error(`${copied} of ${there?.n} entries are exported.`)
  await examine(field, url)
  const options = { ...cluster.options, database: url }
  const started = await Promise.all(before.map(() => serveElsewhere(options)))
  cluster.processes.splice(0, Infinity, ...started)
  try {
    const begun = performance.now()
    await Promise.all(users.map((user) => disable(field, user)))
    await until(
      'every notice arrives',
      () => users.every(({ id }) => told.has(id)),
      PATIENCE_SECONDS,
    )
    const arrived = users.map(({ id }) => told.get(id) ?? [])
    const slowest = (Math.max(...arrived.map(([first = 0]) => first)) - begun) / 1_000
    const eventsOf = (id: string) =>
      endpoint.received.filter(
        ({ event }) => event.type === 'user.disabled' && event.data.id === id,
      )
    await until('every webhook arrives', () => users.every(({ id }) => eventsOf(id).length > 0))
    return {
      entries,
      twice: {
        notices: arrived.filter(({ length }) => length > 1).length,
        webhooks: users.filter(({ id }) => eventsOf(id).length > 1).length,
      },
      slowest,
    }
  } finally {
    await Promise.all(started.map((one) => one.stop()))
    const again = before.map(() => cluster.start())
    cluster.processes.splice(0, Infinity, ...(await Promise.all(again)))
    await confirmAll(field)
  }
}

/** The database from before the drill is an older state, too: API keys of it wait to be confirmed. */
async function confirmAll(field: Field): Promise<void> {
  const { code, stderr } = await command(field, field.cluster.database.url, 'confirm', '--all')
  if (code !== 0) throw new Error(`confirm: ${stderr}`)
}

async function addEndpoint(field: Field, url: string): Promise<string> {
  const answer = await fetchOf(field)(`${field.url}/x${field.tenant}/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${field.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, types: ['user.disabled'] }),
  })
  const { secret } = (await answer.json()) as { secret?: string }
  if (!secret) throw new Error(`No endpoint: ${answer.status}`)
  return secret
}

/** By the commands of the guide. */
function copy(from: string, port: number, to: string): void {
  using folder = temporaryFolder()
  const script = (name: string, url: string) =>
    execFileSync('sh', ['-euc', readFileSync(join(shell, name), 'utf8')], {
      cwd: folder.path,
      env: { PATH: `${postgresPath()}:${process.env.PATH}`, LATCHKEY_DATABASE: url },
    })
  script('postgres-backup.sh', from)
  const flags = ['-h', '127.0.0.1', '-p', String(port), '-U', 'latchkey']
  execFileSync(join(postgresPath() ?? '', 'createdb'), [...flags, 'latchkey'])
  script('postgres-restore.sh', to)
}

async function exported(field: Field, database: string): Promise<number> {
  const { code, stdout, stderr } = await command(field, database, 'audit', 'export')
  if (code !== 0) throw new Error(stderr)
  return stdout.split('\n').filter((line) => line.startsWith('{')).length
}

async function examine(field: Field, database: string): Promise<void> {
  const { code, stdout } = await command(field, database, 'doctor')
  if (code !== 0) throw new Error(`doctor: ${stdout}`)
}

function command({ cluster }: Field, database: string, ...words: string[]) {
  const { masterKey = '' } = cluster.options as { masterKey?: string }
  return run(words, { LATCHKEY_DATABASE: database, LATCHKEY_MASTER_KEY: masterKey })
}
