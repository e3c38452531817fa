import * as options from '../../../examples/guides/src/providers/entra.ts'
import { entraMetadata, TENANT } from '../entra.ts'
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
    name: 'Entra ID, one tenant',
    sources: [
      'https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc',
      'https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference',
    ],
    options: options.entra,
    metadata: entraMetadata(`https://login.microsoftonline.com/${TENANT}/v2.0`, TENANT),
    claims: { oid: 'a0b1', tid: TENANT, preferred_username: EMAIL, ver: '2.0', roles: ['admin'] },
    change: { key: entraKey },
    user: { tid: TENANT, preferred_username: EMAIL, roles: ['admin'] },
    role: 'admin',
    clientAuth: 'basic',
    logout: {
      endpoint: `https://login.microsoftonline.com/${TENANT}/oauth2/v2.0/logout`,
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
  },
  {
    name: 'Entra ID, several tenants',
    sources: [
      'https://learn.microsoft.com/en-us/entra/identity-platform/howto-convert-app-to-be-multi-tenant',
    ],
    options: options.entraOfSeveralTenants,
    metadata: entraMetadata('https://login.microsoftonline.com/{tenantid}/v2.0', 'organizations'),
    claims: { iss: `https://login.microsoftonline.com/${TENANT}/v2.0`, tid: TENANT },
    change: { key: entraKey },
    user: { tid: TENANT },
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://login.microsoftonline.com/organizations/oauth2/v2.0/logout',
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
  },
]
