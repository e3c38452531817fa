import type { Logger } from 'pino'
import type { LeakedPasswords } from '../domain/users/leaked-passwords.ts'
import type { DomainContext } from '../domain/writes/context.ts'
import { openHashList } from './hash-list.ts'
import { createOutgoing, type OutgoingOptions } from './outgoing.ts'

/** The URL of the ranges of Pwned Passwords. */
const PWNED_PASSWORDS = 'https://api.pwnedpasswords.com/range/'

/**
 * The number of digits of a hash that leave the service. About 2,000 leaked passwords share each
 * prefix.
 */
const PREFIX_DIGITS = 5

/** The timeout of a request. It is short, because a person waits. */
const TIMEOUT_MS = 2_000

/** The time after a failed request in which no other request is sent. */
const PAUSE_MS = 60_000

/** The maximum size of a response. A range with its padding has about 40 KiB. */
const MAX_BYTES = 256 * 1024

export interface LeakedPasswordOptions extends Omit<OutgoingOptions, 'timeoutMs'> {
  domain: OutgoingOptions['domain'] & Pick<DomainContext, 'clock'>
  /** The path of a list of hashes; see {@link openHashList}. Default: none. */
  file?: string | undefined
  /** The URL to which a prefix is appended. Default: the URL of Pwned Passwords. */
  url?: string | undefined
  logger: Logger
}

/**
 * Creates the look-up of leaked passwords in a list on disk and in the ranges of Pwned Passwords.
 *
 * @throws with a sentence if the list cannot be used.
 */
export async function createLeakedPasswords({
  file,
  url = PWNED_PASSWORDS,
  logger,
  ...options
}: LeakedPasswordOptions): Promise<LeakedPasswords> {
  const list = file === undefined ? undefined : await openHashList(file)
  const outgoing = createOutgoing({ ...options, timeoutMs: TIMEOUT_MS })
  const { clock } = options.domain
  let pausedUntil = Number.NEGATIVE_INFINITY

  /**
   * Reads a range: the remaining digits and the count of each hash. Entries with the count 0 are
   * padding, which makes all responses about equally long.
   */
  async function read(tenantId: string, prefix: string): Promise<string> {
    const headers = { 'add-padding': 'true', 'user-agent': 'latchkey-service' }
    const answer = await outgoing.reading(tenantId, MAX_BYTES)(`${url}${prefix}`, { headers })
    if (answer.status !== 200) throw new Error(`The answer has the status ${answer.status}.`)
    return answer.text()
  }

  return {
    hasList: list !== undefined,
    isListed: async (sha1) => (await list?.has(sha1)) ?? false,
    async isInRanges(tenantId, sha1) {
      if (clock.now() < pausedUntil) return false
      try {
        const range = await read(tenantId, sha1.slice(0, PREFIX_DIGITS))
        return hasHash(range, sha1.slice(PREFIX_DIGITS))
      } catch (err) {
        // The password is accepted. Otherwise a failure of Pwned Passwords would block every new
        // password. No digit is logged.
        pausedUntil = clock.now() + PAUSE_MS
        logger.warn({ reason: kindOf(err) }, UNANSWERED)
        return false
      }
    },
    async close() {
      await Promise.all([list?.close(), outgoing.close()])
    },
  }
}

const UNANSWERED =
  'Pwned Passwords does not answer; new passwords are not looked for there for a minute.'

function hasHash(range: string, rest: string): boolean {
  return range.split(/\r?\n/).some((line) => {
    const [hash = '', count = ''] = line.split(':')
    return hash.toUpperCase() === rest && Number(count) > 0
  })
}

/** The kind of a failure, without the URL of the request. */
function kindOf(error: unknown): string {
  const { name, message, cause } = error as Error
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  return code ?? (name === 'Error' ? message : name)
}
