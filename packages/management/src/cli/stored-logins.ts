import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'

/** A login at a service, as the file keeps it. */
export interface StoredLogin {
  /** The address at which the operator has logged in. */
  issuer: string
  clientId: string
  accessToken: string
  /** Seconds since the epoch. */
  expiresAt: number
}

type Logins = Record<string, StoredLogin>

/** The file with the logins of this user of the machine, in the system's folder for settings. */
export function loginsFile(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env
  const folder = process.platform === 'win32' ? APPDATA : XDG_CONFIG_HOME
  return join(folder || join(homedir(), '.config'), 'latchkey', 'logins.json')
}

/**
 * The login at the service with this address, if there is one.
 *
 * @throws Exit if others can read the file, or if its content is not from this command.
 */
export function readLogin(url: string): StoredLogin | undefined {
  return readAll()[keyOf(url)]
}

/** Stores the login at a service, and replaces an earlier one. */
export function keepLogin(url: string, login: StoredLogin): void {
  writeAll({ ...readAll(), [keyOf(url)]: login })
}

/** Forgets the login at a service. */
export function forgetLogin(url: string): void {
  const { [keyOf(url)]: _, ...others } = readAll()
  writeAll(others)
}

function keyOf(url: string): string {
  return URL.parse(url)?.href.replace(/\/+$/, '') ?? url
}

function readAll(): Logins {
  const file = loginsFile()
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) return {}
  if (process.platform !== 'win32') {
    if ((found.mode & 0o077) !== 0) refuse(`Others can read ${file}. Run: chmod 600 ${file}`)
    if (process.getuid && found.uid !== process.getuid()) {
      refuse(`${file} belongs to another user of this machine. Remove it, and log in again.`)
    }
  }
  const logins = parsed(readFileSync(file, 'utf8'))
  if (!logins) refuse(`${file} does not hold logins. Remove it, and log in again.`)
  return logins
}

function parsed(text: string): Logins | undefined {
  try {
    const { logins } = JSON.parse(text) as { logins?: Logins }
    const all = Object.values(logins ?? {})
    const areLogins = all.every(
      ({ issuer, clientId, accessToken, expiresAt }) =>
        [issuer, clientId, accessToken].every((one) => typeof one === 'string') &&
        typeof expiresAt === 'number',
    )
    return areLogins ? logins : undefined
  } catch {
    return undefined
  }
}

/** Replaces the whole file at once. At no moment can another user read it. */
function writeAll(logins: Logins): void {
  const file = loginsFile()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, `${JSON.stringify({ logins }, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(fresh, file)
}

function refuse(sentence: string): never {
  throw new Exit(exitCodes.failed, `${sentence} (LATCHKEY_OPERATOR_LOGIN_FILE)`)
}
