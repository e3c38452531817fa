import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { installOnDebian } from './debian.ts'

const places = [
  '/usr/sbin/nginx',
  '/usr/bin/nginx',
  '/usr/local/bin/nginx',
  '/opt/homebrew/bin/nginx',
]

/** Where the nginx of the tests is, if there is one; `LATCHKEY_NGINX` names another. */
export function nginxPath(): string | undefined {
  return [process.env.LATCHKEY_NGINX ?? '', ...places].find((path) => existsSync(path))
}

/** Installs nginx where there is none. It is not started. */
export function provideNginx(): void {
  if (nginxPath()) return
  installOnDebian(
    ['nginx-light', 'nginx'],
    'The tests need nginx. Install it (Debian: sudo apt-get install nginx-light), ' +
      'or set LATCHKEY_NGINX to the path of one.',
  )
}

/** An nginx in front of an application. */
export interface Proxy {
  /** Where it listens, without a slash at the end. */
  readonly url: string
  /** Takes other directives beside the `server` block; resolves when no request is left at the earlier ones. */
  reload(http: string): Promise<void>
  /** The errors that it reported so far, a line each. */
  errors(): string[]
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts nginx on a loopback port.
 *
 * @param server - What its `server` block holds beside `listen`.
 * @param http - Directives beside that block.
 */
export async function startNginx(port: number, server: string, http = ''): Promise<Proxy> {
  const path = nginxPath()
  if (!path) throw new Error('There is no nginx; install it, or set LATCHKEY_NGINX.')
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-nginx-'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  const configure = (http: string) =>
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; user ${userInfo().username}; pid ${folder}/pid; error_log stderr notice;
      events { worker_connections 512; }
      http { access_log off; ${temporary} ${http} server { listen 127.0.0.1:${port}; ${server} } }`,
    )
  configure(http)
  const child = spawn(path, ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  let reported = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
    reported += text
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`nginx did not start: ${complaint}`)
    await wait(20)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async reload(more) {
      configure(more)
      complaint = ''
      child.kill('SIGHUP')
      while (!/worker process \d+ exited/.test(complaint)) await wait(20)
    },
    errors: () => reported.split('\n').filter((line) => /\[(error|crit|alert)\]/.test(line)),
    async [Symbol.asyncDispose]() {
      stop(child)
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function stop(child: ChildProcess): void {
  child.kill('SIGTERM')
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
