/** Where the endpoints of every issuer are, by the names that oidc-provider has for them. */
export const paths = {
  authorization: '/oidc/auth',
  token: '/oidc/token',
  userinfo: '/oidc/userinfo',
  jwks: '/oidc/jwks',
  end_session: '/oidc/logout',
  revocation: '/oidc/revoke',
} as const
