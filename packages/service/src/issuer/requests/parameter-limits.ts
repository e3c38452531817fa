import { paths } from './paths.ts'

/** The largest parameters that an application may send for its own use, in bytes. */
const MAX_BYTES: Readonly<Record<string, number>> = { state: 2_048, nonce: 2_048 }

/** All parameters of a login, in bytes. */
const MAX_ALL_BYTES = 8_192

/**
 * A sentence about a parameter of a login that is too long. All parameters are stored until the
 * login ends, for visitors who are not known.
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
