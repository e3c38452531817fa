/**
 * The parameters whose values are shown, because they are never secret. For all other parameters,
 * the page shows only the length of the value.
 */
const OPEN_PARAMETERS: ReadonlySet<string> = new Set(
  'acr_values audience client_id code_challenge_method error iss max_age prompt redirect_uri resource response_mode response_type scope ui_locales'.split(
    ' ',
  ),
)

/**
 * The claims that are not shown, because they are tokens, or bind a token to a login or a session.
 */
const HIDDEN_CLAIMS: ReadonlySet<string> = new Set(
  'nonce sid jti at_hash c_hash s_hash access_token id_token refresh_token'.split(' '),
)

const MAX_TEXT = 600
const MAX_CLAIMS = 60
const MAX_DEPTH = 6
const SHORTEST_SECRET = 6

/**
 * The parameters whose values are not shown, although they are not secret: URLs, user names and
 * messages.
 */
const UNSHOWN_PARAMETERS: ReadonlySet<string> = new Set(
  'error_description login_hint returnTo target_link_uri'.split(' '),
)

/** The parameters and claims whose values are names. A long name is not a secret. */
const LONG_NAMES: ReadonlySet<string> = new Set(
  'aud audience azp client_id iss oid redirect_uri resource sub'.split(' '),
)

/**
 * Removes secrets from a text.
 *
 * @param isName - Whether the text is a name, in which a long word is not a token.
 */
export type Redact = (text: string, isName?: boolean) => string

/**
 * Creates a function that removes the secrets of one request from texts: the values of its cookies,
 * and of parameters that are not known to be harmless. The function also removes text that looks
 * like a token.
 */
export function redactOf(parameters: URLSearchParams, cookie: string | null): Redact {
  const values = [...parameters]
    .filter(([name]) => !OPEN_PARAMETERS.has(name) && !UNSHOWN_PARAMETERS.has(name))
    .map(([, value]) => value)
  for (const [, value] of cookiePairs(cookie)) values.push(value, decoded(value))
  const secrets = values.filter((value) => value.length >= SHORTEST_SECRET)
  return (text, isName = false) => {
    let rest = text
    for (const secret of secrets) rest = rest.replaceAll(secret, '…')
    return rest.replace(isName ? JWT : LONG_WORD, '…').slice(0, MAX_TEXT)
  }
}

const JWT = /eyJ[\w-]{10,}(\.[\w-]*)*/g
/** A JWT, or a word too long for any language. */
const LONG_WORD = /eyJ[\w-]{10,}(\.[\w-]*)*|[\w-]{40,}/g

/**
 * Describes each parameter by its name and its value. If the value may be secret, its length is
 * shown in its place.
 */
export function describeParameters(parameters: URLSearchParams, redact: Redact): string[] {
  return [...parameters].map(([name, value]) => {
    if (OPEN_PARAMETERS.has(name)) return `${name} = ${redact(value, LONG_NAMES.has(name))}`
    return `${redact(name)} (${count(value.length, 'character')})`
  })
}

/** Describes each cookie in a `Cookie` header by its name and size. */
export function describeCookies(header: string | null): string[] {
  return cookiePairs(header).map(
    ([name, value]) => `${cookieName(name)}, ${bytes(`${name}=${value}`)}`,
  )
}

/** Describes a `Set-Cookie` line by its name, size and attributes, without the value. */
export function describeSetCookie(line: string): string {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
  const name = cookieName(pair.slice(0, pair.indexOf('=')))
  const isRemoved = attributes.some((one) => /^max-age=0$/i.test(one))
  const kept = attributes.filter((one) => !/^expires=/i.test(one)).join(', ')
  return isRemoved ? `${name} removed` : `${name}, ${bytes(pair)}, ${kept}`
}

/** A URL without its query and without secrets. */
export function describeAddress(address: string, redact: Redact): string {
  const start = address.indexOf('?')
  return redact(start === -1 ? address : address.slice(0, start))
}

/**
 * The claims to show. Secret values, and claims that bind a token to a login, are replaced with
 * `(left out)`.
 */
export function openClaims(
  claims: Readonly<Record<string, unknown>>,
  redact: Redact,
): Record<string, unknown> {
  const open: [string, unknown][] = []
  for (const [name, value] of Object.entries(claims).slice(0, MAX_CLAIMS)) {
    if (isHidden(name)) open.push([redact(name), '(left out)'])
    else open.push([redact(name), clean(value, redact, LONG_NAMES.has(name))])
  }
  return Object.fromEntries(open)
}

/** The claims that are about the token, and not about the person. */
const ABOUT_THE_TOKEN: ReadonlySet<string> = new Set(
  'iss aud azp exp iat nbf auth_time acr amr email_verified'.split(' '),
)

/**
 * The claims for a report to other people. The value of a personal claim is replaced with its type
 * and length.
 */
export function impersonal(claims: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      ABOUT_THE_TOKEN.has(name) ? value : kindOf(value),
    ]),
  )
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return `(text, ${count(value.length, 'character')})`
  if (Array.isArray(value)) return `(list of ${value.length})`
  return `(${value === null ? 'null' : typeof value})`
}

/** The pattern of names whose values are secret, in any case. */
const SECRET_NAME = /token|secret|password|passwd|api_?key|private_?key|credential|assertion/i

function isHidden(name: string): boolean {
  return HIDDEN_CLAIMS.has(name) || SECRET_NAME.test(name)
}

function clean(value: unknown, redact: Redact, isName: boolean, depth = 0): unknown {
  if (typeof value === 'string') return redact(value, isName)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return '…'
  if (Array.isArray(value)) {
    return value.slice(0, MAX_CLAIMS).map((one) => clean(one, redact, isName, depth + 1))
  }
  const members = Object.entries(value).slice(0, MAX_CLAIMS)
  return Object.fromEntries(
    members.map(([name, member]) => {
      const shown = isHidden(name)
        ? '(left out)'
        : clean(member, redact, LONG_NAMES.has(name), depth + 1)
      return [redact(name), shown]
    }),
  )
}

/** Formats a number with its noun in the singular or plural. */
export function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? '' : 's'}`
}

/** Formats the size of a text in bytes. */
export function bytes(text: string): string {
  return count(Buffer.byteLength(text), 'byte')
}

/**
 * The name of a cookie, without the part of the `state` that the cookie of a login in progress has
 * in its name.
 */
function cookieName(name: string): string {
  return name.replace(/[\w-]{20,}$/, '…').slice(0, 100)
}

function cookiePairs(header: string | null): [name: string, value: string][] {
  if (!header) return []
  return header.split(';').map((pair) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()]
  })
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
