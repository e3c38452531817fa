/**
 * The remedies of codes with several causes, by code and cause. docs/errors.md lists them under
 * their code.
 */
export const REMEDIES = {
  LATCHKEY_LOGIN_REQUIRED: {
    /** The remedy for a bearer token at a guard that accepts only sessions. */
    bearer:
      "Set the option `bearer: { audience }`, and let the guard accept tokens: requireUser({ accept: ['bearer'] }).",
  },
  LATCHKEY_BEARER_INVALID: {
    aud: 'Let the client ask for a token for your audience, or correct `bearer.audience`.',
    claims:
      'Correct the schema of the option `claims`, or let the provider put the claims that the message names into its access tokens.',
    cnf: 'Let the client send `Authorization: DPoP …` and a fresh proof in the header `DPoP`. Let the provider issue a token with any other binding without it.',
    exp: 'Nothing: the client gets a new token.',
    promise: 'Let the sender wait for the token: await req.auth.accessToken().',
    typ: 'Send an access token. For an opaque one, set `bearer.introspection` to `true`.',
  },
  LATCHKEY_CODE_REFUSED: {
    /**
     * The remedies for a refused client, by its authentication. `default`: the authentication that
     * discovery decided.
     */
    client: {
      default:
        'Check "clientSecret" and "clientId". Some providers need clientAuth: \'client_secret_post\'.',
      client_secret_basic: 'Check "clientSecret" and "clientId".',
      client_secret_post: 'Check "clientSecret" and "clientId".',
      private_key_jwt: 'Check "clientId", and that the provider has the public key of "clientKey".',
      none: 'Check "clientId", and that the provider takes this client without a secret.',
    },
    grant:
      'Nothing for single logins: the code had expired or was used. If every login fails, register the redirect URI of the message at the provider, letter by letter.',
  },
  LATCHKEY_TOKEN_INVALID: {
    time: 'Synchronize the clocks of this machine and of the provider (NTP); `latchkey doctor` shows their difference.',
    audience: 'Set `clientId` to the id that the provider has for this application.',
    issuer:
      "Ask the provider's operator for one name: its tokens and its discovery document differ.",
    tenant: 'Add this tenant to `entraTenants`, if its users may log in.',
    nonce:
      "Nothing for single logins: the token answers another login. If every login fails, ask the provider's operator why its tokens lack the `nonce` that was sent.",
    algorithm: 'Choose another algorithm for this application at the provider.',
    signature:
      'Nothing for single logins: a token that was changed on its way is refused on purpose. If every login fails, the provider signs with a key that is not at its `jwks_uri`.',
    schema:
      'Correct the schema of the option `claims`, or let the provider send the claims that the message names.',
  },
} as const
