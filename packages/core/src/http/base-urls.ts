import { RequestError } from '../errors/errors.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import type { ConfigFault } from '../shared/check-options.ts'
import type { AuthRequest } from './request.ts'
import { resourcesAt } from './resources.ts'

/**
 * Checks that base URLs are no patterns, have different hosts, and have the same scheme and path,
 * because cookies and routes are the same at each. Adds faults to `faults`.
 */
export function checkBaseUrls(baseUrls: readonly URL[], faults: ConfigFault[]): void {
  const [first, ...others] = baseUrls
  const hosts = new Set([first?.host])
  if (baseUrls.some(({ host }) => host.includes('*'))) {
    const remedy = 'must not be a pattern: list each address, also that of a preview deployment.'
    faults.push({ option: 'baseUrl', remedy })
  }
  for (const { protocol, pathname, host, href } of others) {
    if (protocol !== first?.protocol || pathname !== first.pathname) {
      const remedy = `lists ${href} beside ${first?.href}: all must have the same scheme and path.`
      faults.push({ option: 'baseUrl', remedy })
    }
    if (hosts.has(host)) {
      faults.push({ option: 'baseUrl', remedy: `lists the host ${host} twice.` })
    }
    hosts.add(host)
  }
}

/** The options of the instance at another base URL. */
export function optionsAt(options: ResolvedAuthOptions, baseUrl: URL): ResolvedAuthOptions {
  return {
    ...options,
    baseUrl,
    redirectUri: baseUrl.origin + options.routes.callback,
    resources: resourcesAt(options.resources, baseUrl),
  }
}

/** A request, and the context of the base URL that it belongs to. */
export interface Placed<Context> {
  readonly context: Context
  /** The request; its URL is under that base URL. */
  readonly request: AuthRequest
}

/** An instance at one base URL. */
interface AtBaseUrl {
  readonly options: ResolvedAuthOptions
}

/**
 * Makes the function that finds the base URL of a request. A single base URL is used for every
 * request. Of several, the host that the browser named selects one. The scheme and path of a base
 * URL always come from the options.
 *
 * @param contexts - The instance at each base URL.
 * @returns The context and the request at its base URL, or the error for an unknown host.
 */
export function placeOf<Context extends AtBaseUrl>(
  contexts: readonly [Context, ...Context[]],
): (request: AuthRequest) => Placed<Context> | RequestError {
  const [first] = contexts
  if (contexts.length === 1) return (request) => ({ context: first, request })
  const { origin, protocol } = first.options.baseUrl
  // One for each request: a later visit of the same request finds the bearer token that was verified.
  const known = new WeakMap<AuthRequest, RequestAt>()
  const byHost = new Map(contexts.map((context) => [context.options.baseUrl.host, context]))
  return (request) => {
    const host = hostOf(request)
    const context = byHost.get(host) ?? byHost.get(normalized(host, protocol))
    if (!context) return unknownHost(host, [...byHost.keys()])
    if (context === first) return { context, request }
    let moved = known.get(request)
    if (!moved) {
      moved = new RequestAt(request, context.options.baseUrl.origin, origin)
      known.set(request, moved)
    }
    return { context, request: moved }
  }
}

/** The host that a request names. In HTTP/2, it is in a separate field (RFC 9113 §8.3.1). */
function hostOf({ host, headers }: AuthRequest): string {
  return host ?? headers.get('host') ?? headers.get(':authority') ?? ''
}

/** The host in lower case, without the default port of its scheme. */
function normalized(host: string, protocol: string): string {
  if (!/^[\w.-]+(:\d+)?$/.test(host)) return ''
  return URL.parse(`${protocol}//${host}`)?.host ?? ''
}

function unknownHost(host: string, known: readonly string[]): RequestError {
  const found = host === '' ? 'no host' : JSON.stringify(host.slice(0, 100))
  return new RequestError(
    'LATCHKEY_HOST_UNKNOWN',
    `The request names ${found}, and "baseUrl" lists ${known.join(', ')}.`,
  )
}

/** A request whose URL is moved from the first base URL to another one. */
class RequestAt implements AuthRequest {
  readonly #request: AuthRequest
  readonly #origin: string
  readonly #first: string

  constructor(request: AuthRequest, origin: string, first: string) {
    this.#request = request
    this.#origin = origin
    this.#first = first
  }

  get method(): string {
    return this.#request.method
  }

  get url(): string {
    return this.#origin + this.#request.url.slice(this.#first.length)
  }

  get headers(): AuthRequest['headers'] {
    return this.#request.headers
  }

  get body(): unknown {
    return this.#request.body
  }

  get bodyUsed(): boolean {
    return this.#request.bodyUsed ?? false
  }

  get exchange(): unknown {
    return this.#request.exchange
  }

  get opensSocket(): boolean {
    return this.#request.opensSocket ?? false
  }

  onClose(close: () => void): void {
    this.#request.onClose?.(close)
  }

  text(): Promise<string> {
    return this.#request.text()
  }
}
