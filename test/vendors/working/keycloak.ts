import * as options from '../../../examples/guides/src/providers/keycloak.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
  {
    name: 'Keycloak',
    sources: ['https://www.keycloak.org/securing-apps/oidc-layers'],
    options: options.keycloak,
    metadata: {
      issuer: 'https://login.example.com/realms/acme',
      authorization_endpoint: 'https://login.example.com/realms/acme/protocol/openid-connect/auth',
      token_endpoint: 'https://login.example.com/realms/acme/protocol/openid-connect/token',
      jwks_uri: 'https://login.example.com/realms/acme/protocol/openid-connect/certs',
      userinfo_endpoint: 'https://login.example.com/realms/acme/protocol/openid-connect/userinfo',
      end_session_endpoint: 'https://login.example.com/realms/acme/protocol/openid-connect/logout',
      backchannel_logout_supported: true,
      authorization_response_iss_parameter_supported: true,
    },
    claims: { typ: 'ID', azp: 'app', email: EMAIL, session_state: 'f1e2', acr: '1' },
    sendsIss: true,
    change: {
      // A key for encryption stands beside the one that signs.
      keys: (keys) => [{ ...keys[0], kid: 'other', use: 'enc', alg: 'RSA-OAEP' }, ...keys],
    },
    user: { email: EMAIL },
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://login.example.com/realms/acme/protocol/openid-connect/logout',
      parameters: ['id_token_hint', 'client_id', 'post_logout_redirect_uri'],
    },
    hasBackchannelLogout: true,
  },
]
