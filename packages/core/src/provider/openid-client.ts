/** What openid-client exports. */
export type OpenidClient = typeof import('openid-client')

/**
 * Loads openid-client when a provider is first asked something: with what it stands on it is a third
 * of an application's start, and a process may never need it.
 */
export function loadOpenidClient(): Promise<OpenidClient> {
  return import('openid-client')
}
