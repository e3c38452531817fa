import { closestMatch } from 'leven'
import { OptionsError } from './errors.ts'

/** The part of `fetch` that this package needs. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The options that this package passes to `fetch`. */
export type FetchInit = Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal'> & {
  method: string
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal
}

/** The members of a `Response` that this package reads. */
export type FetchResponse = Pick<Response, 'ok' | 'status' | 'text'> & {
  headers: Pick<Headers, 'get'>
}

/** The options of a client. */
export interface ManagementClientOptions {
  /**
   * The URL of the service, such as `https://api.example.com`. A path is kept, except a `/v1` at
   * its end. `/v1/…` and `/x/v1/…` are appended.
   */
  baseUrl: string | undefined
  /** A secret API key. */
  apiKey: string | undefined
  /** The function that sends requests. Default: the global `fetch`. */
  fetch?: Fetch | undefined
  /** Seconds that one attempt may take. Default 30. */
  timeoutSeconds?: number | undefined
  /** The maximum number of retries of a request that can be retried safely. Default 5. */
  retries?: number | undefined
  /**
   * The maximum pause before the first retry, in seconds. It doubles with each later retry. The
   * actual pause is random. Default 0.2.
   */
  backoffSeconds?: number | undefined
}

export interface ResolvedOptions {
  baseUrl: string
  apiKey: string
  fetch: Fetch
  timeoutSeconds: number
  retries: number
  backoffSeconds: number
}

const NAMES = Object.keys({
  baseUrl: 1,
  apiKey: 1,
  fetch: 1,
  timeoutSeconds: 1,
  retries: 1,
  backoffSeconds: 1,
} satisfies Record<keyof Required<ManagementClientOptions>, 1>)

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {@link OptionsError} with all faults, one a line: the name of the option and the remedy.
 */
export function resolveOptions(options: ManagementClientOptions): ResolvedOptions {
  const faults = unknownNames(options)
  /**
   * Resolves an option. If that fails, it collects the message and returns `undefined`; the value
   * is never used, because `resolveOptions` then throws.
   */
  const read = <T>(resolve: () => T): T => {
    try {
      return resolve()
    } catch (error) {
      if (!(error instanceof OptionsError)) throw error
      faults.push(error.message)
      return undefined as T
    }
  }
  const resolved: ResolvedOptions = {
    baseUrl: read(() => resolveBaseUrl(options.baseUrl)),
    apiKey: read(() => resolveKey(options.apiKey)),
    fetch: read(() => resolveFetch(options.fetch)),
    timeoutSeconds: read(() => positive('timeoutSeconds', options.timeoutSeconds ?? 30)),
    retries: Math.floor(read(() => positive('retries', options.retries ?? 5))),
    backoffSeconds: read(() => positive('backoffSeconds', options.backoffSeconds ?? 0.2)),
  }
  if (faults.length > 0) throw new OptionsError(faults.join('\n'))
  return resolved
}

/**
 * An error sentence for each unknown option, with the most similar known option if there is one.
 */
function unknownNames(options: unknown): string[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new OptionsError('The options must be an object such as { baseUrl, apiKey }.')
  }
  const names = Object.keys(options).filter((name) => !NAMES.includes(name))
  return names.map((name) => {
    const lower = NAMES.map((one) => one.toLowerCase())
    const nearest = closestMatch(name.slice(0, 100).toLowerCase(), lower, { maxDistance: 3 })
    const found = NAMES.find((one) => one.toLowerCase() === nearest)
    return `"${name}" is not an option.${found ? ` Did you mean "${found}"?` : ''}`
  })
}

function resolveFetch(given: Fetch | undefined): Fetch {
  if (given !== undefined && typeof given !== 'function') {
    throw new OptionsError('"fetch" must be a function.')
  }
  // The global `fetch` is read at call time, so a later replacement takes effect.
  return given ?? ((url, init) => globalThis.fetch(url, init))
}

function resolveBaseUrl(text: string | undefined): string {
  if (text !== undefined && typeof text !== 'string') {
    throw new OptionsError('"baseUrl" must be a string.')
  }
  const url = URL.parse(text ?? '')
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new OptionsError(
      '"baseUrl" must be a URL such as https://api.example.com; is the environment variable set?',
    )
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new OptionsError('"baseUrl" must have no credentials, no query and no fragment.')
  }
  return url.href.replace(/\/+$/, '').replace(/\/v1$/, '')
}

function resolveKey(text: string | undefined): string {
  const key = typeof text === 'string' ? text.trim() : undefined
  if (!key || !/^[\x21-\x7e]+$/.test(key)) {
    throw new OptionsError(
      '"apiKey" must be a secret API key, one word; is the environment variable set?',
    )
  }
  return key
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value
  throw new OptionsError(`"${name}" must be a number, zero or larger.`)
}
