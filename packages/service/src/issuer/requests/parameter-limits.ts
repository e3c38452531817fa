import { paths } from './paths.ts'

/** The maximum size of parameters that are for the application's own use, in bytes. */
const MAX_BYTES: Readonly<Record<string, number>> = { state: 2_048, nonce: 2_048 }

/** The maximum size of all parameters of a request together, in bytes. */
const MAX_ALL_BYTES = 8_192

/**
 * The description of the error if a parameter of a login or logout is too long; otherwise
 * `undefined`. The parameters are stored until the login ends or the logout is confirmed, also
 * those of unknown visitors, so their size is limited.
 */
export function tooLong({ pathname, search, searchParams }: URL): string | undefined {
  const isLogout = pathname === paths.end_session
  if (pathname !== paths.authorization && !isLogout) return undefined
  for (const [name, max] of Object.entries(MAX_BYTES)) {
    for (const value of searchParams.getAll(name)) {
      const bytes = Buffer.byteLength(value)
      if (bytes > max) return `"${name}" has ${bytes} bytes; at most ${max} are accepted.`
    }
  }
  const { length } = isLogout ? withoutToken(searchParams) : search
  if (length <= MAX_ALL_BYTES) return undefined
  return `The parameters have ${length} bytes; at most ${MAX_ALL_BYTES} are accepted.`
}

/** The parameters of a logout without its ID Token, which may be long and is not stored. */
function withoutToken(params: URLSearchParams): string {
  const others = new URLSearchParams(params)
  others.delete('id_token_hint')
  return others.toString()
}

/** Whether the parameters of a device login, which are stored with its code, are too long. */
export function isTooLongToKeep(params: object): boolean {
  return Buffer.byteLength(JSON.stringify(params)) > MAX_ALL_BYTES
}
