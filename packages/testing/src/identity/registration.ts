import { type AuthOptions, redirectUriFor } from '@latchkey/core'
import type { ClientOptions } from './identity.ts'
import type { Call } from './management.ts'

/**
 * The application that is registered at an identity. All applications under test share it; each
 * adds its own URLs.
 */
export interface Registration {
  clientOptions<Options extends AuthOptions>(
    issuer: string,
    options: Options | undefined,
  ): ClientOptions & Options
  /** A `fetch` to the identity that waits until all URLs are registered. */
  readonly fetch: typeof fetch
}

/** The maximum number of URLs of each kind. The latest URLs are kept. */
const MAX_URLS = 50

const SESSION_SECRET = 'a secret of tests that protects nothing'

/** Registers the application, without URLs yet. */
export async function createRegistration(
  call: Call,
  tenantId: string,
  serviceFetch: typeof fetch,
): Promise<Registration> {
  const collection = `/v1/tenants/${tenantId}/applications`
  const { id } = await call(collection, { type: 'Application', name: 'Under test' })
  const path = `${collection}/${id}`
  const { secret } = await call(path)
  const redirectUrls = new Set<string>()
  const logoutUrls = new Set<string>()
  let registered: Promise<void> = Promise.resolve()

  /** Waits for the registration first, because `clientOptions` returns before it is complete. */
  async function fetchRegistered(
    ...[input, init]: Parameters<typeof fetch>
  ): ReturnType<typeof fetch> {
    await registered
    return serviceFetch(input, init)
  }

  function register(issuer: string, baseUrl: URL, routes: AuthOptions['routes'] = {}): void {
    const { callback = '/callback', loggedOut } = routes
    addLast(redirectUrls, at(baseUrl, callback))
    // An application whose issuer is a function uses this redirect URI.
    addLast(redirectUrls, redirectUriFor({ baseUrl, issuer, callback }))
    addLast(logoutUrls, loggedOut ? at(baseUrl, loggedOut) : baseUrl.href)
    registered = registered.then(() =>
      call(path, {
        type: 'Application',
        name: 'Under test',
        redirect_urls: [...redirectUrls].slice(-MAX_URLS),
        logout_urls: [...logoutUrls].slice(-MAX_URLS),
      }),
    )
    // The caller of `fetch` gets the error.
    registered.catch(() => {})
  }

  return {
    fetch: fetchRegistered,
    clientOptions<Options extends AuthOptions>(issuer: string, options: Options | undefined) {
      const baseUrl = new URL(options?.baseUrl ?? 'http://localhost:3000')
      register(issuer, baseUrl, options?.routes)
      return {
        issuer,
        clientId: id,
        clientSecret: secret,
        fetch: fetchRegistered,
        ...options,
        baseUrl: baseUrl.href,
        session: { secret: SESSION_SECRET, ...options?.session },
      } as unknown as ClientOptions & Options
    },
  }
}

function addLast(urls: Set<string>, url: string): void {
  urls.delete(url)
  urls.add(url)
}

/** The URL of a route of the kit, which is relative to the path of `baseUrl`. */
function at(baseUrl: URL, route: string): string {
  return baseUrl.origin + baseUrl.pathname.replace(/\/$/, '') + route
}
