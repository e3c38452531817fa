import { existsSync } from 'node:fs'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
import { installOnDebian } from './debian.ts'
import { limit, usual } from './limits.ts'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The same engine without windows and preferences: tests in it take little more than half the CPU time. */
const headlessShell = '/usr/bin/chromium-headless-shell'

/** A device that verifies its user by a PIN, a fingerprint or a face. */
export const device = {
  protocol: 'ctap2',
  ctap2Version: 'ctap2_1',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const

/** Where the browser of the tests is, if there is one; `LATCHKEY_CHROMIUM` names another. */
export function chromiumPath(): string | undefined {
  return [process.env.LATCHKEY_CHROMIUM ?? '', ...places].find((path) => existsSync(path))
}

/**
 * Starts the browser, without a window and without calling home: the headless shell where there is one, at night the
 * whole browser.
 *
 * @param more - More arguments of its command line.
 */
export async function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const options = launchOptions(more)
  const { LATCHKEY_CHROMIUM, LATCHKEY_WHOLE_BROWSER } = process.env
  const isWhole = LATCHKEY_CHROMIUM || LATCHKEY_WHOLE_BROWSER || !existsSync(headlessShell)
  const browser = await chromium.launch(
    isWhole ? options : { ...options, executablePath: headlessShell },
  )
  browser.on('context', (context) => context.setDefaultTimeout(limit(usual.wait)))
  return browser
}

/** What the whole browser is started with. */
export function launchOptions(more: readonly string[] = []): LaunchOptions {
  const executablePath = chromiumPath()
  if (!executablePath)
    throw new Error('There is no Chromium; install it, or set LATCHKEY_CHROMIUM.')
  return {
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  }
}

/** Installs a browser where there is none. */
export function provideChromium(): void {
  if (chromiumPath()) return
  installOnDebian(
    ['chromium'],
    'The tests need Chromium. Install it (Debian: sudo apt-get install chromium), ' +
      'or set LATCHKEY_CHROMIUM to the path of a Chromium or Chrome.',
  )
}
