import type { VendorMetadata } from './vendor.ts'

/** A tenant, wherever one is needed. */
export const TENANT = '11111111-2222-3333-4444-555555555555'

/** The discovery document of Entra ID, at a tenant's path or at `common`. */
export function entraMetadata(issuer: string, path: string): VendorMetadata {
  return {
    issuer,
    authorization_endpoint: `https://login.microsoftonline.com/${path}/oauth2/v2.0/authorize`,
    token_endpoint: `https://login.microsoftonline.com/${path}/oauth2/v2.0/token`,
    jwks_uri: `https://login.microsoftonline.com/${path}/discovery/v2.0/keys`,
    userinfo_endpoint: 'https://graph.microsoft.com/oidc/userinfo',
    end_session_endpoint: `https://login.microsoftonline.com/${path}/oauth2/v2.0/logout`,
    token_endpoint_auth_methods_supported: [
      'client_secret_post',
      'private_key_jwt',
      'client_secret_basic',
    ],
    subject_types_supported: ['pairwise'],
  }
}
