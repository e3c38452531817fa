/** The faults of the authorization response. */
export type AuthorizationFault =
  | 'state missing'
  | 'state of another login'
  | 'state repeated'
  | 'iss of another provider'
  | 'iss missing'
  | 'code missing'
  | 'code repeated'
  | 'unknown code'
  | 'access_denied'
  | 'login_required'
  | 'authentication_expired'
  | 'error with markup'

/** The faults of the token response. */
export type TokenFault =
  | 'invalid_grant'
  | 'invalid_client'
  | 'token response without id_token'
  | 'token response without access_token'
  | 'token response without token_type'
  | 'token response with malformed expires_in'
  | 'token response is an array'
  | 'token response in broken HTTP'

/** The faults of the ID Token. */
export type IdTokenFault =
  | 'id_token signed with a foreign key under a known kid'
  | 'id_token signed with an unknown kid'
  | 'id_token with a changed payload'
  | 'id_token without a signature'
  | 'id_token with alg none'
  | 'id_token with alg HS256'
  | 'id_token is not a JWT'
  | 'id_token from another issuer'
  | 'id_token without iss'
  | 'id_token for another client'
  | 'id_token without aud'
  | 'id_token for several clients without azp'
  | 'id_token with the azp of another client'
  | 'id_token expired'
  | 'id_token without exp'
  | 'id_token without iat'
  | 'id_token not valid yet'
  | 'id_token with another nonce'
  | 'id_token without nonce'
  | 'id_token without sub'
  | 'id_token with an empty sub'
  | 'id_token with a sub of 256 characters'
  | 'id_token with a sub that is not ASCII'
  | 'id_token with an old auth_time'
  | 'id_token without auth_time'
  | 'id_token with a critical header'
  | 'id_token of another user'
  | 'id_token for one client with the azp of another'
  | 'id_token issued in the future'
  | 'id_token issued before the login'
  | 'id_token with a wrong at_hash'

/** The faults of userinfo. */
export type UserinfoFault = 'userinfo of another user' | 'userinfo without sub' | 'userinfo refused'

/** The faults of the discovery document. */
export type DiscoveryFault =
  | 'discovery names another issuer'
  | 'discovery without token_endpoint'
  | 'discovery without jwks_uri'
  | 'discovery is an array'

/** The faults of the keys. */
export type JwksFault =
  | 'jwks empty'
  | 'jwks without keys'
  | 'jwks of other keys'
  | 'jwks with a broken key'
  | 'jwks with keys of unknown kinds'
  | 'jwks with several keys of one kid'
  | 'no kid'
  | 'no kid and several keys'

/** The endpoint of a network fault. */
export type Endpoint = 'discovery' | 'jwks' | 'token' | 'userinfo'

/** A network fault at one endpoint. */
export type NetworkFault =
  | 'down'
  | 'hanging'
  | 'dripping'
  | 'huge'
  | 'redirecting'
  | 'html'
  | 'empty'
  | 'server error'
  | 'truncated'
  | 'delayed'

/**
 * Deviations of well-known providers from the specifications. The README of the package describes
 * each.
 */
export type Deviation =
  | 'invalid_grant with WWW-Authenticate'
  | 'token response with a list of scopes'
  | 'Basic credentials are not decoded'
  | 'error_description repeats the request'
  | 'at_hash by SHA-256'
  | 'id_token dated five minutes back'
  | 'refreshed id_token with sub alone'
  | 'logout token without exp'
  | 'discovery redirects to a slash'
  | 'userinfo is signed'
  | 'issuer of every Entra tenant'
  | 'callback has the user once'

/** A fault of the provider. */
export type Fault =
  | Deviation
  | AuthorizationFault
  | TokenFault
  | IdTokenFault
  | UserinfoFault
  | DiscoveryFault
  | JwksFault
  | `${Endpoint}: ${NetworkFault}`
