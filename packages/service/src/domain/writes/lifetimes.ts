import type { Tenant } from '../../store/records.ts'

/** How long things last, in seconds. */
export const lifetimes = {
  authorizationCodeSeconds: 60,
  accessTokenSeconds: 3600,
  /**
   * The lifetime of access tokens for APIs. APIs verify them without asking the issuer, so a
   * disabled user can use one until it expires.
   */
  apiTokenSeconds: 300,
  idTokenSeconds: 3600,
  /** The time after which an unused refresh token expires. */
  refreshTokenSeconds: 30 * 86_400,
  /** The time in which an application may repeat a refresh whose response was lost. */
  refreshRepeatSeconds: 30,
  /** How long a used refresh token stays on record. Later its text tells that it was used. */
  spentRefreshTokenSeconds: 60,
  /** The time after which offline access ends, even if it is used. */
  offlineGrantSeconds: 365 * 86_400,
  /** How long a device on which a user logged in is known, counted from a login. */
  knownDeviceSeconds: 180 * 86_400,
  /** How long a login waits for its page to be opened. The visitor is redirected there at once. */
  unopenedSeconds: 300,
  /** How long a login page that was opened waits for its visitor. */
  interactionSeconds: 3600,
  /** How long the code of a device waits for its user. */
  deviceCodeSeconds: 600,
  /** How long after its expiry a device is told that its code has expired. */
  expiredDeviceCodeSeconds: 600,
  /** How recent a login must be to change the ways to log in. */
  recentLoginSeconds: 300,
  /** The server's side of a login that lasts as long as the browser stays open. */
  browserSessionSeconds: 86_400,
} as const

/** How long a login at the tenant is remembered, counted from the login. */
export function loginSeconds(tenant: Tenant): number {
  return tenant.settings.rememberLoginSeconds || lifetimes.browserSessionSeconds
}
