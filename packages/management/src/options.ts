import { OptionsError } from './errors.ts'

/** `fetch`, as far as this package needs it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** What a request consists of. */
export type FetchInit = Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal'> & {
  method: string
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal
}

/** What is read of a `Response`. */
export type FetchResponse = Pick<Response, 'ok' | 'status' | 'text'> & {
  headers: Pick<Headers, 'get'>
}

/** How a client reaches the service. */
export interface ManagementClientOptions {
  /** Where the API is; its paths begin with `/v1` after it. A path of its own is kept. */
  baseUrl: string | undefined
  /** A secret API key. */
  apiKey: string | undefined
  /** Default: the `fetch` of the platform. */
  fetch?: Fetch | undefined
  /** How long one attempt may take, in seconds. Default 30. */
  timeoutSeconds?: number | undefined
  /** How often a request is repeated at most, where repeating is safe. Default 5. */
  retries?: number | undefined
  /** The longest first pause before a repetition, in seconds; each later one is twice as long. Default 0.2. */
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

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {@link OptionsError} with the option's name and the remedy.
 */
export function resolveOptions(options: ManagementClientOptions): ResolvedOptions {
  return {
    baseUrl: resolveBaseUrl(options.baseUrl),
    apiKey: resolveKey(options.apiKey),
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutSeconds: positive('timeoutSeconds', options.timeoutSeconds ?? 30),
    retries: Math.floor(positive('retries', options.retries ?? 5)),
    backoffSeconds: positive('backoffSeconds', options.backoffSeconds ?? 0.2),
  }
}

function resolveBaseUrl(text: string | undefined): string {
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
  const key = text?.trim()
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
