import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** A program beside the service. */
export interface Program {
  stop(): Promise<void>
}

/**
 * Starts a PostgreSQL that keeps its data in a folder of its own, for as long as it runs.
 *
 * @throws Error that says what to install, when there is none.
 */
export async function startPostgres(port: number): Promise<Program & { readonly url: string }> {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => +b - +a) : []
  const programs = [
    process.env.LATCHKEY_POSTGRES ?? '',
    ...versions.map((version) => `${debian}/${version}/bin`),
    ...['/usr/local/bin', '/opt/homebrew/bin'],
  ].find((folder) => existsSync(join(folder, 'initdb')))
  if (!programs) {
    throw new Error(
      'There is no PostgreSQL. Install it: sudo apt-get install postgresql, or brew install postgresql.',
    )
  }
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-cluster-'))
  const as = ordinaryUser()
  if (as) chownSync(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  const flags = ['--auth=trust', '--username=latchkey', '--encoding=UTF8', '--locale=C']
  execFileSync(join(programs, 'initdb'), ['-D', data, ...flags], { ...as, stdio: 'ignore' })
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`]
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])]
  const child = spawn(join(programs, 'postgres'), args, { ...as, stdio: 'ignore', detached: true })
  await answers(child, 'PostgreSQL', port)
  return { url: `postgres://latchkey@127.0.0.1:${port}/postgres`, stop: () => end(child, folder) }
}

/**
 * Starts an nginx that sends each request to the next of the processes.
 *
 * @throws Error that says what to install, when there is none.
 */
export async function startNginx(port: number, processes: readonly number[]): Promise<Program> {
  const path = ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
    .map((folder) => `${folder}/nginx`)
    .find((file) => existsSync(file))
  if (!path) {
    throw new Error(
      'There is no nginx. Install it: sudo apt-get install nginx-light, or brew install nginx.',
    )
  }
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-cluster-'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
    events { worker_connections 256; }
    http {
      access_log off; ${temporary}
      upstream latchkey { ${processes.map((one) => `server 127.0.0.1:${one};`).join(' ')} }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://latchkey;
          proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $remote_addr;
        }
      }
    }`,
  )
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf')]
  const child = spawn(path, args, { stdio: 'ignore', detached: true })
  await answers(child, 'nginx', port)
  return { stop: () => end(child, folder) }
}

async function answers(child: ChildProcess, name: string, port: number): Promise<void> {
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${name} did not start (${child.exitCode}).`)
    await wait(50)
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  await ended
  rmSync(folder, { recursive: true, force: true })
}

/** PostgreSQL does not run as root. */
function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim())
  return { uid: idOf('-u'), gid: idOf('-g') }
}
