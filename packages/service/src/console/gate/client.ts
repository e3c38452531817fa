import type { AdapterPayload } from 'oidc-provider'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { paths } from '../addresses/paths.ts'

/** The id of the console as a client of the system tenant. */
export const CONSOLE_CLIENT = 'console'

/** The registration of the console as a client of the system tenant. */
export function consoleClient(
  url: string,
  secret: string,
): { tenantId: string; client: AdapterPayload } {
  const { origin } = new URL(url)
  return {
    tenantId: SYSTEM_TENANT_ID,
    client: {
      client_id: CONSOLE_CLIENT,
      client_secret: secret,
      client_name: 'Management console',
      redirect_uris: [`${origin}${paths.callback}`],
      post_logout_redirect_uris: [`${origin}${paths.overview}`],
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
  }
}
