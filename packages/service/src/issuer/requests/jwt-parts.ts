/** The header and the claims of a JWT whose signature is not checked. */
export interface JwtParts {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** Reads a JWT without checking its signature. For any other text, both parts are empty. */
export function jwtParts(jwt: string): JwtParts {
  const [header = '', claims = ''] = jwt.split('.')
  return { header: membersOf(header), claims: membersOf(claims) }
}

function membersOf(part: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString()))
  } catch {
    return {}
  }
}
