import type { Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'

/** The keys of an application's metadata by which its logins are excepted from a rule. */
export const exceptionKeys = {
  pkce: 'latchkey_pkce',
  nonce: 'latchkey_nonce',
  client: 'latchkey_client',
  refreshRepeat: 'latchkey_refresh_repeat',
  programs: 'latchkey_client_credentials',
} as const

const { pkce, nonce, client, refreshRepeat, programs } = exceptionKeys

/** The values of each key; the first is the default. */
const VALUES: Readonly<Record<string, readonly [usual: string, ...exceptions: string[]]>> = {
  [pkce]: ['required', 'optional'],
  [nonce]: ['required', 'optional'],
  [client]: ['confidential', 'public', 'native'],
  [refreshRepeat]: ['answered', 'refused'],
  [programs]: ['refused', 'allowed'],
}

/** The exceptions of an application. */
export interface Exceptions {
  /** Whether a login may do without PKCE, when it has a nonce. */
  readonly isPkceOptional: boolean
  /** Whether a login without PKCE may do without a nonce as well. */
  readonly isNonceOptional: boolean
  /** Whether the application has no secret: its code runs in browsers or on the users' devices. */
  readonly isPublic: boolean
  /**
   * Whether it is a public client that runs on the users' devices, with redirect URLs that a system browser opens.
   *
   * @see RFC 8252
   */
  readonly isNative: boolean
  /**
   * Whether a refresh that is repeated within 30 seconds ends the login, instead of getting the same response.
   * Always for a client without a secret: a thief of its token could repeat it, too.
   */
  readonly isRefreshRepeatRefused: boolean
  /** Whether it gets access tokens for APIs as itself, without a user. Never for a client without a secret. */
  readonly hasOwnTokens: boolean
}

/** The exceptions that hold. A public client always needs PKCE, which is all that protects its codes. */
export function exceptionsOf(metadata: Metadata): Exceptions {
  const isNative = metadata[client] === 'native'
  const isPublic = isNative || metadata[client] === 'public'
  const isPkceOptional = !isPublic && metadata[pkce] === 'optional'
  return {
    isPublic,
    isNative,
    isPkceOptional,
    isNonceOptional: isPkceOptional && metadata[nonce] === 'optional',
    isRefreshRepeatRefused: isPublic || metadata[refreshRepeat] === 'refused',
    hasOwnTokens: !isPublic && metadata[programs] === 'allowed',
  }
}

/** Refuses values without a meaning, and exceptions that do not go together. Stored values may stay. */
export function checkNewExceptions(metadata: Metadata, stored: Metadata | undefined): void {
  const changed = Object.keys(VALUES).filter((key) => metadata[key] !== stored?.[key])
  for (const key of changed) {
    const [usual, ...exceptions] = VALUES[key] ?? []
    const value = metadata[key]
    if (value === undefined || value === usual || exceptions.includes(value)) continue
    const named = exceptions.map((one) => `"${one}"`).join(' or ')
    const wanted = exceptions.length > 1 ? named : `or ${named}`
    refuse(
      `"metadata.${key}" is "${value}"; it must be "${usual}", which is the default, ${wanted}.`,
    )
  }
  if (changed.length === 0) return
  if (/^(public|native)$/.test(metadata[client] ?? '') && metadata[pkce] === 'optional') {
    refuse(
      `"metadata.${pkce}" must not be "optional" while "${client}" is "${metadata[client]}": a client without a secret needs PKCE.`,
    )
  }
  if (/^(public|native)$/.test(metadata[client] ?? '') && metadata[programs] === 'allowed') {
    refuse(
      `"metadata.${programs}" must not be "allowed" while "${client}" is "${metadata[client]}": anybody could ask for tokens as a client without a secret.`,
    )
  }
  if (metadata[nonce] === 'optional' && metadata[pkce] !== 'optional') {
    refuse(
      `"metadata.${nonce}" says nothing while PKCE is required, as a nonce is asked for only without PKCE. Leave it out, or set "${pkce}" to "optional".`,
    )
  }
}

function refuse(sentence: string): never {
  throw new ServiceError('invalid_metadata', sentence)
}

/** An exception that an application has, with the price of it for the operator. */
export interface NamedException {
  readonly key: string
  readonly value: string
  readonly price: string
}

/** The exceptions that hold, each with its price. */
export function namedExceptions(metadata: Metadata): NamedException[] {
  const { isPublic, isNative, isPkceOptional, isNonceOptional, hasOwnTokens } =
    exceptionsOf(metadata)
  const named: NamedException[] = []
  if (isPkceOptional) {
    named.push({
      key: pkce,
      value: 'optional',
      price:
        'Logins may have a nonce in place of PKCE. A stolen code can be put into the login of another user, unless the client checks the nonce.',
    })
  }
  if (isNonceOptional) {
    named.push({
      key: nonce,
      value: 'optional',
      price:
        'Logins may have neither PKCE nor a nonce. A stolen code can be put into the login of another user, and no check notices. Use it only for a client that knows neither.',
    })
  }
  if (hasOwnTokens) {
    named.push({
      key: programs,
      value: 'allowed',
      price:
        'The application gets access tokens for its APIs with its secret or key alone, without a user. An API has to tell them from those of users: their sub is the client_id.',
    })
  }
  if (isNative) {
    named.push({
      key: client,
      value: 'native',
      price:
        'The application has no secret and runs on devices of its users, where another app can use its URL scheme or port and ask for a login as it. So users who are logged in confirm each login, and an application cannot log them in silently. A redirect URL with https, which the system ties to one app, is safer than a scheme.',
    })
  } else if (isPublic) {
    named.push({
      key: client,
      value: 'public',
      price:
        'The application has no secret. Anybody who controls a redirect URL can log users in as it, and scripts on the origins of its redirect URLs can read and keep tokens. A backend with a session, such as the kit, keeps tokens away from scripts.',
    })
  }
  return named
}
