import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { start } from './parts/child.ts'
import { loginKits } from './parts/login-kits.ts'
import { row } from './parts/numbers.ts'
import { createVisitor } from './parts/visitor.ts'

/**
 * Calls of a login to the operating system, counted by strace: writes, reads and waits of the
 * application from its login route to the session. Counts, unlike times, are the same on a busy machine.
 */
const LOGINS = Number(process.env.LOGINS ?? 500)
/** Logins before counting. */
const WARM_UP = Number(process.env.WARM_UP ?? 500)
const COLUMNS = [['write', 'writev'], ['read', 'readv'], ['epoll_pwait']]

const folder = await mkdtemp(join(tmpdir(), 'login-calls-'))
const provider = await start('provider')
console.log(row('calls of a login', ...COLUMNS.map(([name = '']) => name)))
for (const name of process.env.ONLY?.split(';') ?? loginKits) {
  const child = await start('kit', name, `http://127.0.0.1:${provider.port}`)
  const visitor = createVisitor(child.port)
  for (let count = 0; count < WARM_UP; count++) await visitor.logIn()
  const calls = await counted(child.pid, async () => {
    for (let count = 0; count < LOGINS; count++) await visitor.logIn()
  })
  const perLogin = (names: readonly string[]) =>
    names.reduce((sum, call) => sum + (calls.get(call) ?? 0), 0) / LOGINS
  console.log(row(name, ...COLUMNS.map(perLogin)))
  visitor.close()
  await child.stop()
}
await provider.stop()
await rm(folder, { recursive: true })

/** How often a process made each system call meanwhile. */
async function counted(pid: number, work: () => Promise<void>): Promise<Map<string, number>> {
  const file = join(folder, `${pid}`)
  const tracer = spawn('strace', ['-f', '-c', '-U', 'name,calls', '-o', file, '-p', `${pid}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(tracer, 'exit')
  // It says so on stderr when it has attached.
  await Promise.race([
    once(tracer.stderr, 'data'),
    ended.then(() => Promise.reject(new Error('strace could not attach'))),
  ])
  await delay(200)
  await work()
  tracer.kill('SIGINT')
  await ended
  const calls = new Map<string, number>()
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const [call, count] = line.trim().split(/\s+/)
    if (call && Number(count) > 0) calls.set(call, Number(count))
  }
  return calls
}
