import type {
  AuthorizationServer,
  Client,
  ClientAuth,
  DPoPHandle,
  HttpRequestOptions,
  TokenEndpointResponse,
} from 'oauth4webapi'
import type { ResolvedRegistration } from '../options/options.ts'
import { readTokenAnswer } from './token-answer.ts'
import type { ProviderAnswer, ProviderFetch } from './transport.ts'

/** The exports of oauth4webapi. */
export type OAuth = typeof import('oauth4webapi')

/** The facts of a provider that each request to one of its endpoints needs. */
export interface OAuthClient {
  readonly server: AuthorizationServer
  readonly client: Client
  readonly authenticate: ClientAuth
  /** Whether the provider itself is on plain http, so that its endpoints may be, too. */
  readonly isInsecure: boolean
}

/** The arguments that functions of oauth4webapi take. */
export interface OAuthCall extends OAuthClient {
  readonly oauth: OAuth
  /** The way in which the provider is reached. */
  readonly options: HttpRequestOptions<'POST', URLSearchParams>
}

/** Calls functions of oauth4webapi so that they reach the provider. */
export type ClientCall = <T>(work: (call: OAuthCall) => Promise<T>) => Promise<T>

/** Loads oauth4webapi at the first request to a provider; a process may never need it. */
export function loadOAuth(): Promise<OAuth> {
  // Each `import()` asks the module loader again.
  loaded ??= import('oauth4webapi')
  return loaded
}

let loaded: Promise<OAuth> | undefined

/** Seconds by which the clock of a provider may differ. */
const TOLERANCE_SECONDS = 30

/** Makes the facts of a provider. The issuer of Entra ID for several tenants is a template, which `tid` fills. */
export async function createOAuthClient(
  metadata: AuthorizationServer,
  { issuer, clientId }: ResolvedRegistration,
  authenticate: ClientAuth,
): Promise<OAuthClient> {
  const oauth = await loadOAuth()
  const server = { ...metadata }
  if (metadata.issuer.includes('{tenantid}')) {
    // A symbol that oauth4webapi has for this issuer, and its types leave out.
    const { _expectedIssuer: name } = oauth as unknown as { readonly _expectedIssuer: string }
    const issuerOf = ({ claims }: { claims: { tid?: unknown } }) =>
      metadata.issuer.replace('{tenantid}', String(claims.tid))
    Object.assign(server, { [name]: issuerOf })
  }
  const client = { client_id: clientId, [oauth.clockTolerance]: TOLERANCE_SECONDS }
  return { server, client, authenticate, isInsecure: issuer.protocol === 'http:' }
}

/** The options of a request that goes through a fetch of the kit. */
export function requestOptions(
  oauth: OAuth,
  fetch: ProviderFetch,
  isInsecure: boolean,
): OAuthCall['options'] {
  return { [oauth.customFetch]: fetchForOAuth(fetch), [oauth.allowInsecureRequests]: isInsecure }
}

/** Sends a request with proofs of a key, and once more if the server asks for a nonce (RFC 9449 §8, §9). */
export async function withNonce<T>(
  { isDPoPNonceError }: OAuth,
  proofs: DPoPHandle | undefined,
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (proofs && isDPoPNonceError(error)) return send()
    throw error
  }
}

/** When the access token of a response expires, if the provider says so. */
export function expiryOfToken(
  { expires_in: seconds }: TokenEndpointResponse,
  receivedAt: number,
): number | undefined {
  return seconds === undefined ? undefined : receivedAt + Math.floor(seconds)
}

/**
 * A fetch as oauth4webapi takes it: its bodies are forms, or nothing. The error of a token endpoint is
 * in the body (RFC 6749 §5.2), which oauth4webapi does not read when it sees a `WWW-Authenticate` too.
 */
function fetchForOAuth(fetch: ProviderFetch) {
  return async (
    url: string,
    { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
  ): Promise<Response> =>
    responseOf(
      readTokenAnswer(
        await fetch(url, { method, headers, ...(body ? { body: String(body) } : {}) }),
      ),
    )
}

/**
 * A response whose body was read already, with only the members of {@link Response} that
 * oauth4webapi uses for a success. Making and reading a real one takes longer than verifying a
 * signature. oauth4webapi recognizes it by its `Symbol.toStringTag`.
 */
class ReadResponse implements Pick<Response, 'status' | 'bodyUsed' | 'json' | 'text'> {
  readonly status = 200
  readonly headers: Pick<Headers, 'get'> & Iterable<[string, string]>
  bodyUsed = false
  readonly #body: string

  constructor(headers: [name: string, value: string][], body: string) {
    this.headers = {
      get: (wanted) => headers.find(([name]) => name === wanted)?.[1] ?? null,
      [Symbol.iterator]: () => headers.values(),
    }
    this.#body = body
  }

  get [Symbol.toStringTag](): string {
    return 'Response'
  }

  async text(): Promise<string> {
    this.bodyUsed = true
    return this.#body
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}

/** A challenge is left out, but for that of a server that asks for a nonce (RFC 9449 §9). */
function isRead([name, value]: readonly [name: string, value: string]): boolean {
  if (name === 'www-authenticate') return value.includes('use_dpop_nonce')
  return name === 'content-type' || name === 'dpop-nonce'
}

function responseOf({ status, headers, body }: ProviderAnswer): Response {
  const read = headers.filter(isRead)
  if (status === 200 && body) return new ReadResponse(read, body) as unknown as Response
  return new Response(body === '' ? null : body, { status, headers: read })
}
