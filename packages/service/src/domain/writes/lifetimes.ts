import type { Tenant } from '../../store/records.ts'

/** The lifetimes and periods of the service, in seconds. */
export const lifetimes = {
  authorizationCodeSeconds: 60,
  accessTokenSeconds: 3600,
  /**
   * The lifetime of access tokens for APIs. APIs verify them without asking the issuer, so a
   * disabled user can use one until it expires.
   */
  apiTokenSeconds: 300,
  idTokenSeconds: 3600,
  /** The period after which an unused refresh token expires. */
  refreshTokenSeconds: 30 * 86_400,
  /** The period in which an application may repeat a refresh, in case the response was lost. */
  refreshRepeatSeconds: 30,
  /**
   * The period for which a used refresh token is stored. Afterwards, the text of the token itself
   * shows that it was used.
   */
  spentRefreshTokenSeconds: 60,
  /** The lifetime of offline access, even if it is used. */
  offlineGrantSeconds: 365 * 86_400,
  /** The period for which a device counts as known after a login on this device. */
  knownDeviceSeconds: 180 * 86_400,
  /**
   * The period in which a login page must be opened. The visitor is redirected to the page at once.
   */
  unopenedSeconds: 300,
  /** The period for which an opened login page can be submitted. */
  interactionSeconds: 3600,
  /** The lifetime of a device code. */
  deviceCodeSeconds: 600,
  /**
   * The period after a device code's expiry in which the device gets the error that its code has
   * expired.
   */
  expiredDeviceCodeSeconds: 600,
  /** The maximum age of a login with which a user can change login methods. */
  recentLoginSeconds: 300,
  /** The server-side lifetime of a login that ends when the browser is closed. */
  browserSessionSeconds: 86_400,
} as const

/**
 * The period, in seconds, for which a login at the tenant is remembered, counted from the login.
 */
export function loginSeconds(tenant: Tenant): number {
  return tenant.settings.rememberLoginSeconds || lifetimes.browserSessionSeconds
}
