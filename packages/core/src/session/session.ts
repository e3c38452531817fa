/** The tokens of a session. They stay on the server and are reached only through methods. */
export interface SessionTokens {
  readonly accessToken: string
  /** The expiry of the access token in seconds since the epoch, if the provider said so. */
  readonly accessTokenExpiresAt?: number | undefined
  /** The time at which it was received; together with the expiry, this gives its lifetime. */
  readonly accessTokenReceivedAt?: number | undefined
  readonly refreshToken?: string | undefined
  readonly scope?: string | undefined
  /** The private key that the access token is bound to (DPoP): a JWK, as text. */
  readonly proofKey?: string | undefined
}

/** The session of a logged-in user. Plain JSON; instants are in seconds since the epoch. */
export interface AuthSession {
  /** The provider's own name, as its tokens have it. */
  readonly issuer: string
  /** The issuer as the application's options have it; the session counts for no other. */
  readonly registeredIssuer: string
  readonly clientId: string
  /** The user's identifier within the issuer; issuer and sub together identify a person. */
  readonly sub: string
  /** The provider's session, if it named one. */
  readonly sid?: string | undefined
  /** The claims the application sees. */
  readonly user: Readonly<Record<string, unknown>>
  /** The names of those that come from the provider, and are replaced when it is asked again. */
  readonly providerClaims?: readonly string[] | undefined
  /** The time at which userinfo was last read, if it was. */
  readonly userReadAt?: number | undefined
  readonly createdAt: number
  /** The session always ends here. */
  readonly expiresAt: number
  /** The time at which the user last proved who they are, if the provider said so. */
  readonly authTime?: number | undefined
  /** How strongly they proved it. */
  readonly acr?: string | undefined
  readonly amr?: readonly string[] | undefined
  /**
   * Another person acts for the user, such as an operator who helps, under this name (`act`, RFC 8693 §4.1). The user has
   * proven nothing, and the session ends with the ID token.
   */
  readonly act?: { readonly sub: string } | undefined
  /** The browser and system that logged in, such as `Firefox on macOS`. */
  readonly device?: string | undefined
  /** It was adopted from another kit: nothing is known about how its user logged in. */
  readonly adopted?: true | undefined
  /** Sent back at logout as `id_token_hint`. */
  readonly idToken?: string | undefined
  readonly tokens?: SessionTokens | undefined
}
