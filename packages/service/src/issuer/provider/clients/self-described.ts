import { type AdapterPayload, type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { exceptionKeys } from '../../../domain/applications/application-exceptions.ts'
import { checkReturnUrl } from '../../../domain/applications/application-urls.ts'
import { isSelfDescribedId } from '../../../domain/tenants/client-documents.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'

/** The maximum number of redirect URIs of a client that describes itself. */
export const MAX_REDIRECTS = 20

/** The maximum number of characters of a client's name on pages. */
const MAX_NAME = 60

/** The error for a refused self-described client. Its description names the reason. */
export class ClientRefused extends errors.InvalidClient {}

/**
 * The error for a self-described client whose document cannot be fetched at the moment. It says
 * nothing about the client: the same request can succeed later.
 *
 * `status`: 429 if the network of the request has asked for too many documents.
 */
export class ClientUnavailable extends errors.TemporarilyUnavailable {
  readonly retryAfterSeconds: number

  constructor(description: string, retryAfterSeconds: number, status: 429 | 503 = 503) {
    super(description)
    this.retryAfterSeconds = retryAfterSeconds
    Object.assign(this, { status, statusCode: status })
  }
}

/**
 * The {@link ClientUnavailable} that oidc-provider has wrapped into an `invalid_client`, and asks
 * the client to retry. Otherwise returns the error itself.
 */
export function askToRetry(error: unknown, ctx: KoaContextWithOIDC | undefined): unknown {
  const [unavailable] = [error, (error as Partial<Error> | undefined)?.cause].filter(
    (one) => one instanceof ClientUnavailable,
  )
  if (unavailable) ctx?.set('retry-after', String(unavailable.retryAfterSeconds))
  return unavailable ?? error
}

/** Whether a client describes itself. The users of such a client are asked for consent. */
export function isSelfDescribed(client: Client | undefined): boolean {
  return client !== undefined && isSelfDescribedId(client.clientId)
}

/** The supported metadata of a self-described client. */
export interface SelfDescription {
  readonly clientId: string
  readonly name?: string | undefined
  readonly redirectUris: readonly string[]
  /** Default: `native` if a redirect URI is not `https`, otherwise `web`. */
  readonly type?: 'web' | 'native' | undefined
}

/**
 * A self-described client in oidc-provider's form: a public client with the same rights as every
 * other self-described client.
 */
export function clientOf({ clientId, name, redirectUris, type }: SelfDescription): AdapterPayload {
  const isNative = redirectUris.some((uri) => !uri.startsWith('https:'))
  return {
    client_id: clientId,
    client_name: name,
    redirect_uris: [...redirectUris],
    application_type: type ?? (isNative ? 'native' : 'web'),
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}

/** Whether a value is a redirect URI that native applications may have. */
export function isRedirect(uri: unknown): uri is string {
  if (typeof uri !== 'string') return false
  const native = { metadata: { [exceptionKeys.client]: 'native' } }
  try {
    checkReturnUrl('"redirect_uris"', uri, native, false)
    return true
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}

/**
 * Matches control characters, line breaks, invisible characters, and characters that change the
 * direction of the text around them.
 */
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * Makes the name that a client claims safe for pages: on one line, shortened, and without
 * misleading characters. `undefined` for an empty name.
 */
export function shownName(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  const shown = name
    .slice(0, 1_000)
    .normalize('NFC')
    .replace(UNSHOWN, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
  const letters = [...shown]
  return letters.length > MAX_NAME
    ? `${letters.slice(0, MAX_NAME - 1).join('')}…`
    : shown || undefined
}
