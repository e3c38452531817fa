import type { Fault, NetworkFault } from './faults.ts'
import type { MisbehavingProvider, ProviderRequest } from './provider.ts'

/** Whether Basic credentials are absent, or are those of the client (RFC 6749 §2.3.1). */
export function isClient(
  { clientId, clientSecret, fault }: MisbehavingProvider,
  authorization: string | undefined,
): boolean {
  const [scheme, credentials = ''] = authorization?.split(' ') ?? []
  if (scheme !== 'Basic') return true
  const sent = Buffer.from(credentials, 'base64').toString().split(':')
  const decode = (text: string): string => new URLSearchParams(`v=${text}`).get('v') ?? ''
  const read = fault === 'Basic credentials are not decoded' ? sent : sent.map(decode)
  return read[0] === clientId && read[1] === clientSecret
}

/** The body of an error of the token endpoint (RFC 6749 §5.2). */
export function tokenError(error: string, description: string | undefined): unknown {
  return { error, ...(description ? { error_description: description } : {}) }
}

const ENDPOINTS: Record<string, string> = {
  discovery: '/.well-known/openid-configuration',
  jwks: '/jwks',
  token: '/token',
  userinfo: '/userinfo',
}

const SECRET_PARAMETERS = ['code', 'code_verifier', 'refresh_token', 'client_assertion']

/** The codes, tokens and credentials in a request. */
export function shownBy({ body, authorization = '' }: ProviderRequest): string[] {
  const shown = SECRET_PARAMETERS.flatMap((name) => body.getAll(name))
  return authorization ? [...shown, authorization.replace(/^\w+ /, '')] : shown
}

/** The network fault for a path; `undefined` if the present fault is none for this path. */
export function networkFault(fault: Fault | undefined, path: string): NetworkFault | undefined {
  const [endpoint = '', what] = (fault ?? '').split(': ')
  return what && ENDPOINTS[endpoint] === path ? (what as NetworkFault) : undefined
}
