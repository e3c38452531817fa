import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { commandEnv } from '../../../test/support/command-env.ts'
import { freePort } from '../../../test/support/free-port.ts'

const shell = fileURLToPath(new URL('../shell/runbook/', import.meta.url))
const here = fileURLToPath(new URL('cli/main.ts', import.meta.resolve('@latchkey/service')))

/** The answer of a service that is ready. */
export const READY = '{"status":"ready"}'

/** The name under which the runbook's `npm` finds the sources beside the test. */
export const NEWEST = '0.3.0'

/** A machine on which the commands of the runbook are run as they are printed. */
export interface Machine {
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  /** Runs an entry of the runbook, as a person pastes it into a shell. @throws when its last command fails. */
  run(name: string): Promise<string>
  /** Installs a release, as its image or its unit would bring it. */
  install(version: string): void
  /** Starts, stops or restarts the service, as a person does by hand. */
  systemctl(verb: 'start' | 'stop' | 'restart'): Promise<string>
  /** Runs `latchkey-service`. */
  service(...words: string[]): Promise<string>
  /** The log of the service since the machine began. */
  log(): string
  /** Sets a variable of the service alone, as a line of `/etc/latchkey.env` does. */
  set(name: string, value: string): void
}

/**
 * Makes a machine in a folder, whose `systemctl` starts and stops the service as the unit does, and whose `npm` switches between
 * releases: the sources beside the test, and others by the path of their package.
 */
export async function createMachine(
  data: string | undefined,
  releases: Readonly<Record<string, string>> = {},
): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-runbook-'))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const write = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/bash\nset -eu\n${text}`)
    chmodSync(join(bin, name), 0o755)
  }
  const node = `"${process.execPath}" --conditions=latchkey-source`
  write('latchkey-service', `exec ${node} "$(cat '${bin}/release')" "$@"\n`)
  write('systemctl', systemctl(folder))
  const known = Object.entries({ [NEWEST]: here, ...releases })
  for (const [version, main] of known) writeFileSync(join(bin, `release-${version}`), main)
  // npm makes files by the umask of its shell.
  write('npm', `rm "${bin}/release"\ncp "${bin}/release-\${4##*@}" "${bin}/release"\n`)
  writeFileSync(join(bin, 'release'), here)
  writeFileSync(join(folder, 'latchkey.env'), '')
  writeFileSync(join(folder, 'log'), '')
  const port = await freePort()
  const environment: NodeJS.ProcessEnv = {
    ...commandEnv,
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    ...(data !== undefined && { LATCHKEY_DATA: data }),
    LATCHKEY_PORT: `${port}`,
    LATCHKEY_URL: `http://127.0.0.1:${port}`,
    VERSION: NEWEST,
    // No load balancer has to notice that a service stops.
    LATCHKEY_DRAIN_SECONDS: '0',
  }
  const execute = async (file: string, words: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(file, words, { cwd: folder, env: environment })
    return stdout
  }
  onTestFinished(async () => {
    await execute('systemctl', ['stop', 'latchkey'])
    rmSync(folder, { recursive: true })
  })
  return {
    folder,
    environment,
    run: (name) => execute('bash', ['-c', 'umask 077; . "$0"', join(shell, `${name}.sh`)]),
    install: (version) => copyFileSync(join(bin, `release-${version}`), join(bin, 'release')),
    systemctl: (verb) => execute('systemctl', [verb, 'latchkey']),
    service: (...words) => execute('latchkey-service', words),
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
    set: (name, value) =>
      writeFileSync(join(folder, 'latchkey.env'), `export ${name}='${value}'\n`, { flag: 'a' }),
  }
}

/**
 * A stand-in for systemd's: it starts the service, and stops it by SIGTERM. The service of the unit has a user of its own, so a
 * release that root alone can read does not start.
 */
function systemctl(folder: string): string {
  return `cd '${folder}'
stop() {
  test -e pid || return 0
  kill "$(cat pid)" 2> /dev/null || true
  while kill -0 "$(cat pid)" 2> /dev/null; do sleep 0.1; done
  rm pid
}
start() {
  test -n "$(find bin/release -perm -o=r)"
  . ./latchkey.env
  setsid latchkey-service serve >> log 2>&1 < /dev/null &
  echo $! > pid
}
case "$1" in
  enable | start) start ;;
  stop) stop ;;
  restart) stop; start ;;
esac
`
}

/** Whether the service of a machine is ready. */
export async function status({ environment }: Machine): Promise<number> {
  const answer = await fetch(`${environment.LATCHKEY_URL}/x/ready`).catch(() => undefined)
  return answer?.status ?? 0
}
