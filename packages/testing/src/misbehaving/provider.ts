import type { Fault } from './faults.ts'
import type { SigningAlgorithm } from './signing.ts'

/** Options of `startMisbehavingProvider()`. */
export interface MisbehavingProviderOptions {
  /**
   * The issuer that the provider names, such as `https://login.microsoftonline.com/common/v2.0`.
   * Default: its `url`.
   */
  readonly issuer?: string
}

/** A response of the token endpoint. `body` is sent as JSON. */
export interface TokenAnswer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The JSON objects that the provider sends. `code` and `refresh` are the token responses for a code
 * and for a refresh token.
 */
export type JsonAnswer = 'discovery' | 'jwks' | 'code' | 'refresh' | 'id_token' | 'userinfo'

/**
 * A small provider that behaves correctly until you set a fault. It logs every visitor in as
 * `user`.
 */
export interface MisbehavingProvider {
  readonly issuer: string
  /** The loopback URL at which the provider listens. */
  readonly url: string
  /**
   * Sends requests to the provider by the name of its issuer. Pass it to the application as the
   * option `fetch`.
   */
  readonly fetch: typeof fetch
  readonly clientId: string
  readonly clientSecret: string
  /** The present fault; with `undefined`, the provider behaves correctly. */
  fault: Fault | undefined
  /**
   * The claims of the user who logs in. Refreshes and userinfo return the current claims if `sub`
   * is still the same, otherwise the claims at the time of the login.
   */
  user: Record<string, unknown>
  /** More members for the discovery document. */
  metadata: Record<string, unknown>
  /** The lifetime of access tokens in seconds. Default 600. */
  accessTokenSeconds: number
  /** The `error_description` of every error of the token endpoint. */
  errorDescription: string | undefined
  /** A response that the token endpoint gives to every request, instead of tokens. */
  tokenAnswer: TokenAnswer | undefined
  /** Changes the JSON text of an object before it is signed or sent. */
  rewrite: ((answer: JsonAnswer, json: string) => string) | undefined
  /** The requests that the provider has received. */
  readonly requests: ProviderRequest[]
  /**
   * Every code, token and secret that the provider has issued or received, so that tests can search
   * for them.
   */
  readonly secrets: string[]
  /** The number of requests to a path. */
  count(path: string): number
  /** Replaces the signing key. Default algorithm: RS256. The old key is no longer published. */
  rotateKey(alg?: SigningAlgorithm): void
  /** Makes a logout token. A claim with the value `undefined` is left out. */
  logoutToken(claims: Record<string, unknown>, header?: Record<string, unknown>): string
  /**
   * Makes a JWT access token for `https://api.example`. A claim with the value `undefined` is left
   * out.
   */
  accessToken(claims: Record<string, unknown>, header?: Record<string, unknown>): string
  /** The session ids (`sid`) of all logins so far, in order. */
  issuedSids(): string[]
  /**
   * Sends the responses that the fault `delayed` holds back. The provider then behaves correctly.
   */
  release(): void
  /** Stops listening. `start` listens again on the same port. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A request that the provider has received. */
export interface ProviderRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: URLSearchParams
  readonly authorization: string | undefined
}
