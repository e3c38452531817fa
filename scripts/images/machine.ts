import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { run } from '../run.ts'

/** Ten times a second, for two minutes. */
const DOCKER_TRIES = 1_200
/** Ten times a second, for ten seconds. */
const GROUP_TRIES = 100

/** A Debian machine with Docker, in namespaces of its own. */
export interface Machine {
  /** The root of its file system, as this process sees it. */
  readonly folder: string
  /** Runs commands of bash in `/root/latchkey/deploy`. @returns What they print. @throws Error when one of them fails. */
  sh(commands: string): Promise<string>
  stop(): Promise<void>
}

/**
 * Starts the Docker of a machine. The process has to be the first of its namespaces: see {@link ownNamespaces}.
 *
 * @param shared - Folders of this machine, by their names on the other one.
 */
export async function startMachine(
  folder: string,
  shared: Readonly<Record<string, string>>,
): Promise<Machine> {
  const mount = (...words: string[]) => execFileSync('mount', words)
  const inside = (name: string): string => {
    const place = path.join(folder, name)
    mkdirSync(place, { recursive: true })
    return place
  }
  execFileSync('ip', ['link', 'set', 'lo', 'up'])
  mount('--bind', folder, folder)
  mount('-t', 'proc', 'proc', inside('proc'))
  mount('-t', 'sysfs', 'sysfs', inside('sys'))
  mount('--rbind', '/dev', inside('dev'))
  mount('-t', 'tmpfs', 'tmpfs', inside('run'))
  mount('-t', 'tmpfs', 'tmpfs', inside('sys/fs/cgroup'))
  // In a namespace of cgroups, a new mount begins at the group of this process: containers stay below it.
  const controllers = controllersOf(readFileSync('/proc/self/cgroup', 'utf8'))
  for (const one of controllers)
    mount('-t', 'cgroup', '-o', one, 'cgroup', inside(`sys/fs/cgroup/${one}`))
  if (controllers.length === 0) mount('-t', 'cgroup2', 'cgroup2', inside('sys/fs/cgroup'))

  // The machine is the root of its namespace of mounts: from a chroot, `docker exec` would come out at the root of this one.
  const begin = 'cd "$0" && pivot_root . mnt && umount --lazy /mnt && exec dockerd "$@"'
  const words = [
    '--mount',
    '--',
    'sh',
    '-euc',
    begin,
    folder,
    '--exec-opt=native.cgroupdriver=cgroupfs',
  ]
  for (const [name, from] of Object.entries(shared)) mount('--bind', from, inside(name))
  const docker = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const log = logOf(docker)
  const enter = [`--target=${docker.pid}`, '--mount', '--']
  const isReady = async () => (await run('nsenter', [...enter, 'docker', 'info'])).code === 0
  for (let tries = 0; !(await isReady()); tries++) {
    if (docker.exitCode !== null || tries === DOCKER_TRIES)
      throw new Error(`Docker has not started:\n${log()}`)
    await wait(100)
  }
  return {
    folder,
    async sh(commands) {
      const shell = ['bash', '-euo', 'pipefail', '-c', `cd /root/latchkey/deploy\n${commands}`]
      const { code, output } = await run('nsenter', [...enter, ...shell])
      if (code !== 0) throw new Error(`${commands}\n${output}`)
      return output.trim()
    },
    async stop() {
      const ended = new Promise((resolve) => docker.once('exit', resolve))
      docker.kill()
      if (docker.exitCode === null) await ended
      for (const one of controllers)
        await removeGroup(path.join(folder, 'sys/fs/cgroup', one, 'docker'))
    },
  }
}

/** Removes a control group with those below it. One that a process of a container is just leaving is busy, so this asks again. */
async function removeGroup(group: string): Promise<void> {
  for (let tries = 0; existsSync(group); tries++) {
    try {
      for (const entry of readdirSync(group, { withFileTypes: true }))
        if (entry.isDirectory()) await removeGroup(path.join(group, entry.name))
      rmdirSync(group)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || tries === GROUP_TRIES) throw error
      await wait(100)
    }
  }
}

/** The command of a process that is the first of its namespaces: everything that it starts ends with it. */
export function ownNamespaces(command: readonly string[]): readonly [string, ...string[]] {
  const kinds = ['--mount', '--net', '--pid', '--cgroup', '--ipc', '--uts']
  return [
    'unshare',
    ...kinds,
    ...['--fork', '--kill-child', '--mount-proc', '--propagation=private', '--', ...command],
  ]
}

/** The controllers of version 1 that Docker asks for. */
function controllersOf(groups: string): string[] {
  return groups
    .split('\n')
    .map((line) => line.split(':')[1] ?? '')
    .filter((name) => name !== '' && !name.startsWith('name='))
}

function logOf({ stdout, stderr }: ChildProcess): () => string {
  let log = ''
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-20_000)))
  return () => log
}
