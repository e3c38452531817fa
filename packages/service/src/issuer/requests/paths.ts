/** The paths of the endpoints of every issuer, by oidc-provider's names for them. */
export const paths = {
  authorization: '/oidc/auth',
  token: '/oidc/token',
  userinfo: '/oidc/userinfo',
  jwks: '/oidc/jwks',
  end_session: '/oidc/logout',
  revocation: '/oidc/revoke',
  pushed_authorization_request: '/oidc/par',
  registration: '/oidc/register',
  device_authorization: '/oidc/device',
  // Short, because users type this path.
  code_verification: '/device',
} as const

/** The paths of the account pages, by topic. */
export const accountPaths = {
  overview: '/account',
  profile: '/account/profile',
  email: '/account/email',
  password: '/account/password',
  security: '/account/security',
  connect: '/account/security/connect',
  sessions: '/account/sessions',
  access: '/account/access',
  deletion: '/account/delete',
  support: '/account/support',
} as const

/** The client id of the account page, which logs users in like an application. */
export const ACCOUNT_CLIENT = 'account'

/** The target of the console's form that logs an operator in as a user. */
export const IMPERSONATE_PATH = '/impersonate'

/** The target of the banner's form that ends an operator's login as a user. */
export const END_ACTING_PATH = '/account/support/end'

/**
 * The endpoints of the protocol, which oidc-provider answers. Endpoints that scripts of other
 * origins may call also answer a preflight.
 */
export const endpoints: readonly { method: string; path: string }[] = [
  ...at(paths.authorization, 'GET'),
  // The path at which a login continues after its pages.
  ...at(`${paths.authorization}/:uid`, 'GET'),
  ...at(paths.token, 'POST', 'OPTIONS'),
  ...at(paths.userinfo, 'GET', 'POST', 'OPTIONS'),
  ...at(paths.jwks, 'GET', 'OPTIONS'),
  ...at(paths.end_session, 'GET'),
  ...at(`${paths.end_session}/confirm`, 'POST'),
  ...at(`${paths.end_session}/success`, 'GET'),
  ...at(paths.revocation, 'POST', 'OPTIONS'),
  ...at(paths.pushed_authorization_request, 'POST', 'OPTIONS'),
  ...at(paths.registration, 'POST', 'OPTIONS'),
  ...at(paths.device_authorization, 'POST', 'OPTIONS'),
  ...at(paths.code_verification, 'GET', 'POST'),
  // The path at which a confirmation continues after its pages.
  ...at(`${paths.code_verification}/:uid`, 'GET'),
  ...at('/.well-known/openid-configuration', 'GET', 'OPTIONS'),
  ...at('/.well-known/oauth-authorization-server', 'GET', 'OPTIONS'),
]

/** Whether a path belongs to the protocol, even if no endpoint has it. */
export function isProtocolPath(pathname: string): boolean {
  return /^\/(oidc\/|\.well-known\/|device(\/|$))/.test(pathname)
}

function at(path: string, ...methods: string[]): { method: string; path: string }[] {
  return methods.map((method) => ({ method, path }))
}
