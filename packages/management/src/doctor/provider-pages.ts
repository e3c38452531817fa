/** A provider with a page in the documentation. */
interface ProviderPage {
  /** The name of the page in `docs/providers`. */
  readonly page: string
  /** Whether a URL belongs to the provider. */
  readonly fits: (address: URL) => boolean
  /** The reason why the kit cannot log in users of this provider; `undefined` if it can. */
  readonly refused?: string
}

const host =
  (pattern: RegExp) =>
  ({ hostname }: URL): boolean =>
    pattern.test(hostname)
const path =
  (pattern: RegExp) =>
  ({ pathname }: URL): boolean =>
    pattern.test(pathname)

/** All pages about providers, each with a test for the provider's URLs. */
export const providerPages: readonly ProviderPage[] = [
  { page: 'ad-fs', fits: path(/^\/adfs(\/|$)/) },
  { page: 'apple', fits: host(/(^|\.)apple\.com$/) },
  { page: 'auth0', fits: host(/\.auth0\.com$/) },
  { page: 'authentik', fits: path(/^\/application\/o\//) },
  { page: 'azure-ad-b2c', fits: host(/\.b2clogin\.com$/) },
  { page: 'cognito', fits: host(/^cognito-idp\.|\.amazoncognito\.com$/) },
  { page: 'entra', fits: host(/^(login|sts)\.(microsoftonline\.com|windows\.net)$/) },
  { page: 'entra-external-id', fits: host(/\.ciamlogin\.com$/) },
  {
    page: 'facebook',
    fits: host(/(^|\.)facebook\.com$/),
    refused: 'Facebook has no token endpoint for logins on websites.',
  },
  {
    page: 'github',
    fits: host(/^(api\.)?github\.com$/),
    refused:
      'GitHub offers OAuth 2.0, but no OpenID Connect: there are no ID tokens. Our service can log its users in.',
  },
  { page: 'gitlab', fits: host(/^gitlab\./) },
  { page: 'google', fits: host(/(^|\.)google\.com$/) },
  { page: 'keycloak', fits: path(/^(\/auth)?\/realms\//) },
  {
    page: 'line',
    fits: host(/(^|\.)line\.me$/),
    refused: 'LINE signs the ID tokens of web logins with the channel secret (HS256).',
  },
  {
    page: 'linkedin',
    fits: host(/(^|\.)linkedin\.com$/),
    refused: 'LinkedIn knows no PKCE, and its ID tokens have no nonce.',
  },
  { page: 'okta', fits: host(/\.(okta|oktapreview|okta-emea)\.com$/) },
  {
    page: 'paypal',
    fits: host(/(^|\.)paypal(objects)?\.com$/),
    refused: 'PayPal signs ID tokens with the client secret (HS256).',
  },
  { page: 'slack', fits: host(/(^|\.)slack\.com$/) },
  { page: 'twitch', fits: host(/(^|\.)twitch\.tv$/) },
  { page: 'zitadel', fits: host(/\.zitadel\.cloud$/) },
]

/** The first page about a provider to which one of the addresses belongs. */
export function pageOf(addresses: readonly (URL | undefined)[]): ProviderPage | undefined {
  return providerPages.find(({ fits }) => addresses.some((one) => one && fits(one)))
}
