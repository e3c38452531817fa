import { paths } from './paths.ts'

/** The maximum size of parameters that are for the application's own use, in bytes. */
const MAX_BYTES: Readonly<Record<string, number>> = { state: 2_048, nonce: 2_048 }

/** The maximum size of all parameters of a login together, in bytes. */
const MAX_ALL_BYTES = 8_192

/**
 * The description of the error if a parameter of a login is too long; otherwise `undefined`. The
 * parameters are stored until the login ends, also those of unknown visitors, so their size is
 * limited.
 */
export function tooLong({ pathname, search, searchParams }: URL): string | undefined {
  if (pathname !== paths.authorization) return undefined
  for (const [name, max] of Object.entries(MAX_BYTES)) {
    for (const value of searchParams.getAll(name)) {
      const bytes = Buffer.byteLength(value)
      if (bytes > max) return `"${name}" has ${bytes} bytes; at most ${max} are accepted.`
    }
  }
  if (search.length <= MAX_ALL_BYTES) return undefined
  return `The parameters have ${search.length} bytes; at most ${MAX_ALL_BYTES} are accepted.`
}
