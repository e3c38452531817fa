import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A server in a process of its own, which answers commands. */
export interface Child {
  readonly port: number
  readonly pid: number
  ask<T = void>(command: string, argument?: unknown): Promise<T>
  /** CPU seconds, user and system, that it has used. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

/** Starts `bench/servers/<name>.ts` and waits until it listens. */
export function start(name: string, ...args: string[]): Promise<Child> {
  const file = join(import.meta.dirname, `../servers/${name}.ts`)
  return startFile(file, args, ['--conditions=latchkey-source', ...profiling(name)])
}

/** Starts a server that lies anywhere and waits until it listens. */
export async function startFile(
  file: string,
  args: readonly string[],
  execArgv: readonly string[] = [],
): Promise<Child> {
  // As in production: the kit's recorder of logins, for one, is there for developers alone.
  const env = { ...process.env, NODE_ENV: 'production' }
  const child = fork(file, args, { env, execArgv: ['--expose-gc', ...execArgv] })
  const ask = <T>(command: string, argument?: unknown) => exchange<T>(child, { command, argument })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    pid: child.pid ?? 0,
    ask,
    cpu: () => ask<number>('cpu'),
    async stop() {
      const gone = once(child, 'exit')
      child.send({ command: 'stop' })
      await gone
    },
  }
}

/** With `PROFILE=service`, the server of that name writes a CPU profile into the current folder. */
function profiling(name: string): string[] {
  return process.env.PROFILE === name ? ['--cpu-prof'] : []
}

async function exchange<T>(child: ChildProcess, message: object): Promise<T> {
  const answer = once(child, 'message') as Promise<[{ result: T; error?: string }]>
  child.send(message)
  const [{ result, error }] = await answer
  if (error) throw new Error(error)
  return result
}

/** The child's side: tells the port, and answers commands one at a time. */
export function serveCommands(
  port: number,
  commands: Record<string, (argument: never) => unknown>,
  stop: () => Promise<unknown>,
): void {
  const all: Record<string, (argument: never) => unknown> = {
    cpu() {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    },
    memory() {
      globalThis.gc?.()
      return process.memoryUsage().rss / 2 ** 20
    },
    heap() {
      globalThis.gc?.()
      return process.memoryUsage().heapUsed / 2 ** 20
    },
    ...commands,
  }
  async function run(command: string, argument: never): Promise<void> {
    if (command === 'stop') {
      await stop()
      process.exit()
    }
    try {
      process.send?.({ result: await all[command]?.(argument) })
    } catch (error) {
      process.send?.({ error: String(error) })
    }
  }
  process.on('message', ({ command, argument }: { command: string; argument: never }) => {
    void run(command, argument)
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ port })
}
