import { LatchkeyError, type Refusal } from '@latchkey/core'
import { titleOf } from '@latchkey/core/adapter'

/** The refusal that an error of the kit means. */
export function refusalFrom(error: LatchkeyError): Refusal {
  return { error, title: titleOf(error), loginUrl: undefined }
}

/** A refusal in a protocol without HTTP responses. */
export interface Told {
  readonly correlationId: string
  /** A path of this site that begins the required login. */
  readonly loginUrl?: string
}

/** The members of a refusal in every protocol. */
export function told({ error, loginUrl }: Refusal): Told {
  const { correlationId } = error
  return loginUrl === undefined ? { correlationId } : { correlationId, loginUrl }
}

/** The error of a request or connection that has not passed the login. */
export function notMounted(message: string): Refusal {
  return refusalFrom(new LatchkeyError('LATCHKEY_ROUTER_NOT_MOUNTED', message))
}

/** Resolves to the refusal if a step of the kit fails. Other errors, such as those of checks, are thrown again. */
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
