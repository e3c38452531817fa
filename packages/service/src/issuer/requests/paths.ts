/** Where the endpoints of every issuer are, by the names that oidc-provider has for them. */
export const paths = {
  authorization: '/oidc/auth',
  token: '/oidc/token',
  userinfo: '/oidc/userinfo',
  jwks: '/oidc/jwks',
  end_session: '/oidc/logout',
  revocation: '/oidc/revoke',
  pushed_authorization_request: '/oidc/par',
} as const

/** The account pages, by topic. */
export const accountPaths = {
  overview: '/account',
  profile: '/account/profile',
  email: '/account/email',
  password: '/account/password',
  security: '/account/security',
  connect: '/account/security/connect',
  sessions: '/account/sessions',
  deletion: '/account/delete',
} as const

/** The redirect URI for providers. */
export const SOCIAL_CALLBACK = '/social/callback'

const PAGE = ['GET', 'HEAD', 'POST']

// Paths that scripts of other origins may ask for have a preflight.
const METHODS: Readonly<Record<string, readonly string[]>> = {
  [paths.authorization]: PAGE,
  [paths.token]: ['POST', 'OPTIONS'],
  [paths.userinfo]: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  [paths.jwks]: ['GET', 'HEAD', 'OPTIONS'],
  [paths.end_session]: PAGE,
  [`${paths.end_session}/confirm`]: ['POST'],
  [`${paths.end_session}/success`]: ['GET', 'HEAD'],
  [paths.revocation]: ['POST', 'OPTIONS'],
  [paths.pushed_authorization_request]: ['POST', 'OPTIONS'],
  '/.well-known/openid-configuration': ['GET', 'HEAD', 'OPTIONS'],
  '/.well-known/oauth-authorization-server': ['GET', 'HEAD', 'OPTIONS'],
}

/** The path at which a login continues after its pages. */
const RESUME = new RegExp(`^${paths.authorization}/[^/]+$`)

/** Whether a path is the protocol's, with or without an endpoint there. */
export function isProtocolPath(pathname: string): boolean {
  return /^\/(oidc|\.well-known)\//.test(pathname)
}

/** The endpoint and the methods of a path. */
export interface Endpoint {
  /** The pattern of the provider's endpoint; `undefined` where the path is no endpoint's. */
  readonly route: string | undefined
  readonly methods: readonly string[]
}

/**
 * The methods of the provider's endpoint at a path; on all other paths, those of pages.
 *
 * oidc-provider itself takes paths in other letters, and with a slash at the end, past every rule that
 * compares the path: it gets to see requests for endpoints alone.
 */
export function endpointAt(pathname: string): Endpoint {
  if (RESUME.test(pathname))
    return { route: `${paths.authorization}/:uid`, methods: ['GET', 'HEAD'] }
  const methods = METHODS[pathname]
  return { route: methods && pathname, methods: methods ?? PAGE }
}
