import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { chromium } from 'playwright-core'
import { row } from './parts/numbers.ts'

/**
 * How long it takes from `git clone` to a browser that shows "Logged in as", and from a second start.
 * The packages come from the caches of the machine, as far as it has them.
 */

const repository = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'latchkey-clone-'))
const clone = join(folder, 'latchkey')
const browser = await chromium.launch({
  executablePath: process.env.LATCHKEY_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})

try {
  const cloning = performance.now()
  execFileSync('git', ['clone', '--quiet', repository, clone])
  const cloned = performance.now()
  const first = await startAndLogIn()
  const second = await startAndLogIn()
  console.log(row('git clone, s', (cloned - cloning) / 1000))
  console.log(row('first start until it is ready, s', first.ready))
  console.log(row('clone to "Logged in as", s', (cloned - cloning) / 1000 + first.loggedIn))
  console.log(row('second start until it is ready, s', second.ready))
  console.log(row('second start to "Logged in as", s', second.loggedIn))
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}

async function startAndLogIn(): Promise<{ ready: number; loggedIn: number }> {
  const begun = performance.now()
  const child = spawn(
    'npx',
    ['--yes', 'pnpm', 'start', '--port', '3700', '--service-port', '4700'],
    {
      cwd: clone,
      env: { ...process.env, PATH: pathOfMachine() },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    },
  )
  const output = await outputUntil(child, 'Ctrl-C')
  const ready = (performance.now() - begun) / 1000
  const application = /ready after .* at (\S+)/.exec(output)?.[1] ?? ''
  const [, email = '', password = ''] = /^ +(\S+@\S+) +(.*?) {2,}/m.exec(output) ?? []

  const page = await browser.newPage()
  await page.goto(`${application}/account`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByText('Logged in as').waitFor()
  const loggedIn = (performance.now() - begun) / 1000
  await page.context().close()

  const ended = new Promise((resolve) => child.once('close', resolve))
  process.kill(-(child.pid as number), 'SIGINT')
  await ended
  return { ready, loggedIn }
}

/** Without what this repository has put in front of it: a clone brings its own. */
function pathOfMachine(): string {
  const parts = (process.env.PATH ?? '').split(':')
  return parts.filter((part) => !part.includes('node_modules')).join(':')
}

function outputUntil(child: ChildProcess, mark: string): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
      if (output.includes(mark)) resolve(output)
    })
    child.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${output}`)))
  })
}
