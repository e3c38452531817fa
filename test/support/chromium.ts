import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where the browser of the tests is, if there is one; `LATCHKEY_CHROMIUM` names another. */
export function chromiumPath(): string | undefined {
  return [process.env.LATCHKEY_CHROMIUM ?? '', ...places].find((path) => existsSync(path))
}

/** Starts the browser, without a window and without calling home. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (!executablePath)
    throw new Error('There is no Chromium; install it, or set LATCHKEY_CHROMIUM.')
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** Installs a browser where that may be done without asking: as root on Debian. */
export function installChromium(): void {
  const isRoot = process.getuid?.() === 0
  if (!isRoot || !existsSync('/usr/bin/apt-get')) {
    throw new Error(
      'The tests need Chromium. Install it (Debian: sudo apt-get install chromium), ' +
        'or set LATCHKEY_CHROMIUM to the path of a Chromium or Chrome.',
    )
  }
  console.log('Installing Chromium for the browser tests …')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const options: ExecFileSyncOptions = { env, stdio: ['ignore', 'ignore', 'inherit'] }
  execFileSync('apt-get', ['update', '-q'], options)
  execFileSync('apt-get', ['install', '-qy', '--no-install-recommends', 'chromium'], options)
}
