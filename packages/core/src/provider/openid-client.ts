import type { Configuration, CustomFetch } from 'openid-client'
import type { Members } from '../shared/present-members.ts'
import { type ReadAnswer, readTokenAnswer } from './token-answer.ts'
import type { ProviderFetch } from './transport.ts'

/** The exports of openid-client. */
export type OpenidClient = typeof import('openid-client')

/**
 * A function that works with openid-client. `sent` returns the members of the last token response,
 * as the provider sent them.
 */
export type ClientWork<T> = (
  client: OpenidClient,
  configuration: Configuration,
  sent: () => Members,
) => Promise<T>

/** Calls openid-client with a configuration that reaches the provider. */
export type ClientCall = <T>(work: ClientWork<T>) => Promise<T>

/**
 * Loads openid-client once. With its dependencies, and undici for the `Headers` that it uses, this
 * takes longer than starting the kit, and a process without logins never needs it.
 */
export function loadOpenidClient(): Promise<OpenidClient> {
  // Kept, because each `import()` goes through the module loader again.
  loaded ??= import('openid-client')
  return loaded
}

/**
 * Loads openid-client once the current request has been answered, so that the callback need not
 * wait for it.
 */
export function preloadOpenidClient(): void {
  // A failure is reported by the callback that needs it.
  if (!loaded) setTimeout(() => void loadOpenidClient().catch(() => {}), 0)
}

let loaded: Promise<OpenidClient> | undefined

const MAX_IDLE = 20

/**
 * A pool of configurations of openid-client. A configuration holds the fetch of one request, and
 * making one takes a while.
 */
export interface ClientPool {
  call<T>(fetch: ProviderFetch, work: ClientWork<T>): Promise<T>
}

/** Makes a pool, which is empty at first. */
export function createClientPool(configure: () => Promise<Configuration>): ClientPool {
  const idle: Configuration[] = []
  return {
    async call(fetch, work) {
      const client = await loadOpenidClient()
      const configuration = idle.pop() ?? (await configure())
      let sent: Members = {}
      configuration[client.customFetch] = fetchForClient(fetch, (members) => {
        sent = members
      })
      try {
        return await work(client, configuration, () => sent)
      } finally {
        if (idle.length < MAX_IDLE) idle.push(configuration)
      }
    },
  }
}

/**
 * Makes a fetch for openid-client, which sends forms or no body. The fetch reads token responses
 * first and changes their form, so that openid-client sees the error in the body (RFC 6749 §5.2)
 * even if there is a `WWW-Authenticate` header.
 *
 * @param keep - Receives the members of each token response as they were sent.
 */
function fetchForClient(fetch: ProviderFetch, keep: (sent: Members) => void): CustomFetch {
  return async (url, { method, headers, body }) => {
    const answer = readTokenAnswer(
      await fetch(url, { method, headers, ...(body ? { body: String(body) } : {}) }),
    )
    keep(answer.sent ?? {})
    return responseOf(answer)
  }
}

/**
 * A response whose body was read already, with only the members of {@link Response} that
 * openid-client uses for a success. Making and reading a real one takes longer than verifying a
 * signature. openid-client recognizes it by its `Symbol.toStringTag`.
 */
class ReadResponse implements Pick<Response, 'status' | 'bodyUsed' | 'json' | 'text'> {
  readonly status = 200
  readonly headers: Headers
  bodyUsed = false
  readonly #answer: ReadAnswer

  constructor(headers: Headers, answer: ReadAnswer) {
    this.headers = headers
    this.#answer = answer
  }

  get [Symbol.toStringTag](): string {
    return 'Response'
  }

  async text(): Promise<string> {
    this.bodyUsed = true
    return this.#answer.body
  }

  async json(): Promise<unknown> {
    const text = await this.text()
    // A copy, because openid-client changes the object that it receives.
    return this.#answer.members ? { ...this.#answer.members } : JSON.parse(text)
  }
}

/**
 * Whether a response header is passed on to openid-client. Challenges are left out, except one that
 * asks for a nonce (RFC 9449 §9).
 */
function isRead([name, value]: readonly [name: string, value: string]): boolean {
  if (name === 'www-authenticate') return value.includes('use_dpop_nonce')
  return name === 'content-type' || name === 'dpop-nonce'
}

function responseOf(answer: ReadAnswer): Response {
  const { status, headers, body, members } = answer
  const read = headers.filter(isRead)
  if (status === 200 && body)
    return new ReadResponse(new Headers(read), answer) as unknown as Response
  const text = members ? JSON.stringify(members) : body
  return new Response(text === '' ? null : text, { status, headers: read })
}
