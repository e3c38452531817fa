/**
 * The tokens of a session. They stay on the server; the application gets them only from methods
 * such as `accessToken()`.
 */
export interface SessionTokens {
  readonly accessToken: string
  /**
   * When the access token expires, in seconds since the epoch. Absent if the provider does not say.
   */
  readonly accessTokenExpiresAt?: number | undefined
  /** When the access token was received, in seconds since the epoch. */
  readonly accessTokenReceivedAt?: number | undefined
  readonly refreshToken?: string | undefined
  readonly scope?: string | undefined
  /** The private key that the access token is bound to (DPoP, RFC 9449): a JWK, as text. */
  readonly proofKey?: string | undefined
}

/** The session of a logged-in user. Plain JSON. Times are in seconds since the epoch. */
export interface AuthSession {
  /** The issuer as the provider names itself in its tokens. */
  readonly issuer: string
  /** The issuer in the options of the application. The session is valid for this issuer only. */
  readonly registeredIssuer: string
  readonly clientId: string
  /** The user's identifier at the issuer. Only `issuer` and `sub` together identify a person. */
  readonly sub: string
  /** The id of the session at the provider, if it named one. */
  readonly sid?: string | undefined
  /** The claims of the user, as the application gets them. */
  readonly user: Readonly<Record<string, unknown>>
  /**
   * The names of the claims that come from the provider. These claims are replaced when the user is
   * read again.
   */
  readonly providerClaims?: readonly string[] | undefined
  /**
   * The names of the claims that userinfo has had. Userinfo decides about them also if an ID token
   * has had them. Absent if userinfo was never read.
   */
  readonly userinfoClaims?: readonly string[] | undefined
  /** When userinfo was last read. Absent if it was never read. */
  readonly userReadAt?: number | undefined
  readonly createdAt: number
  /** When the session expires, however much it is used. */
  readonly expiresAt: number
  /** When the user last authenticated at the provider, if the provider says so. */
  readonly authTime?: number | undefined
  /** The authentication context of the login (`acr`, OIDC Core 1.0 §2). */
  readonly acr?: string | undefined
  /** The authentication methods of the login, such as `pwd` and `otp` (`amr`, RFC 8176). */
  readonly amr?: readonly string[] | undefined
  /**
   * The other person who acts for the user, such as a support operator (`act`, RFC 8693 §4.1). The
   * user has not logged in, and the session expires with the ID token.
   */
  readonly act?: { readonly sub: string } | undefined
  /** The browser and system of the login, such as `Firefox on macOS`. */
  readonly device?: string | undefined
  /** Set if the session was adopted from another login kit. How its user logged in is unknown. */
  readonly adopted?: true | undefined
  /** The ID token. Sent to the provider at logout as `id_token_hint`. */
  readonly idToken?: string | undefined
  readonly tokens?: SessionTokens | undefined
}
