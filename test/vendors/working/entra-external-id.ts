import * as options from '../../../examples/guides/src/providers/entra-external-id.ts'
import { TENANT } from '../entra.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

/** Entra's keys do not say what they sign with, but who signs with them. */
const entraKey = (key: Record<string, unknown>): Record<string, unknown> => ({
  ...key,
  alg: undefined,
  issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
})

export const vendors: readonly Vendor[] = [
  {
    name: 'Entra External ID',
    sources: ['https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc'],
    options: options.entraExternalId,
    metadata: {
      issuer: `https://${TENANT}.ciamlogin.com/${TENANT}/v2.0`,
      authorization_endpoint: `https://acme.ciamlogin.com/${TENANT}/oauth2/v2.0/authorize`,
      token_endpoint: `https://acme.ciamlogin.com/${TENANT}/oauth2/v2.0/token`,
      jwks_uri: `https://acme.ciamlogin.com/${TENANT}/discovery/v2.0/keys`,
      end_session_endpoint: `https://acme.ciamlogin.com/${TENANT}/oauth2/v2.0/logout`,
      token_endpoint_auth_methods_supported: [
        'client_secret_post',
        'private_key_jwt',
        'client_secret_basic',
      ],
    },
    claims: { oid: 'a0b1', tid: TENANT, preferred_username: EMAIL, ver: '2.0' },
    change: { key: entraKey },
    user: { tid: TENANT, preferred_username: EMAIL },
    clientAuth: 'basic',
    logout: {
      endpoint: `https://acme.ciamlogin.com/${TENANT}/oauth2/v2.0/logout`,
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
  },
]
