import { LatchkeyError, type Refusal } from '@latchkey/core'
import { titleOf } from '@latchkey/core/adapter'

/** Converts an error of the kit into a refusal. */
export function refusalFrom(error: LatchkeyError): Refusal {
  return { error, title: titleOf(error), loginUrl: undefined }
}

/** The members of a refusal that messages of gateways and GraphQL errors have in common. */
export interface Told {
  readonly correlationId: string
  /** A path of this site that starts the required login. */
  readonly loginUrl?: string
}

/** Picks the members of a refusal that messages of gateways and GraphQL errors have in common. */
export function told({ error, loginUrl }: Refusal): Told {
  const { correlationId } = error
  return loginUrl === undefined ? { correlationId } : { correlationId, loginUrl }
}

/** The refusal of a request or connection that has not passed the login. */
export function notMounted(message: string): Refusal {
  return refusalFrom(new LatchkeyError('LATCHKEY_ROUTER_NOT_MOUNTED', message))
}

/**
 * Resolves to a refusal also if an error of the kit is thrown. Any other error, such as one of a
 * check, is thrown again.
 */
export async function orRefusal(
  deciding: Promise<Refusal | undefined>,
): Promise<Refusal | undefined> {
  try {
    return await deciding
  } catch (error) {
    if (error instanceof LatchkeyError) return refusalFrom(error)
    throw error
  }
}
