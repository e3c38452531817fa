import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'

/** The stored login of an operator at a service. */
export interface StoredLogin {
  /** The issuer at which the operator has logged in. */
  issuer: string
  clientId: string
  /** The access token, which commands send in place of an API key. */
  accessToken: string
  /** The expiry of the access token, in seconds since the epoch. */
  expiresAt: number
}

type Logins = Record<string, StoredLogin>

/** The path of the file with the stored logins, in the user's configuration folder. */
export function loginsFile(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env
  const folder = process.platform === 'win32' ? APPDATA : XDG_CONFIG_HOME
  return join(folder || join(homedir(), '.config'), 'latchkey', 'logins.json')
}

/**
 * The stored login at the service with this URL; `undefined` if there is none.
 *
 * @throws Exit if other users can read the file, if the file belongs to another user, or if its
 *   content is not a list of logins.
 */
export function readLogin(url: string): StoredLogin | undefined {
  return readAll()[keyOf(url)]
}

/** Stores the login at a service, in place of an earlier login there. */
export function keepLogin(url: string, login: StoredLogin): void {
  writeAll({ ...readAll(), [keyOf(url)]: login })
}

/** Deletes the stored login at a service. */
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

/** Replaces the file atomically. At no time can another user read the new file. */
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
