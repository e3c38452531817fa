import { randomBytes } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import { ACCOUNT_CLIENT, paths } from '../requests/paths.ts'

/** The path of the callback of the login for the account page. */
export const RETURN_PATH = '/account/return'

// No other process needs this secret: the account page uses only the session, and never redeems
// codes.
const secret = randomBytes(32).toString('base64url')

/** The account page in oidc-provider's form of a client. */
export function accountClient(issuer: string): AdapterPayload {
  return {
    client_id: ACCOUNT_CLIENT,
    client_secret: secret,
    scope: 'openid',
    redirect_uris: [`${issuer}${RETURN_PATH}`],
    response_types: ['code'],
    grant_types: ['authorization_code'],
  }
}

/** The login URL for an operator who logs in as a user. This login always shows a page. */
export function actingLogin(issuer: string): string {
  return `${paths.authorization}?${queryOf(issuer, { state: 'overview', prompt: 'login' })}`
}

/**
 * The login URL for a user whose login is too old or too weak for the account page.
 *
 * @param state - The value that the callback receives.
 */
export function accountLogin(issuer: string, state: string, acr: string | undefined): string {
  const query = queryOf(issuer, {
    state,
    max_age: String(lifetimes.recentLoginSeconds),
    ...(acr !== undefined && { acr_values: acr }),
  })
  return `${paths.authorization}?${query}`
}

function queryOf(issuer: string, own: Record<string, string>): URLSearchParams {
  return new URLSearchParams({
    client_id: ACCOUNT_CLIENT,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: `${issuer}${RETURN_PATH}`,
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
    ...own,
  })
}
