import type { Fault } from './faults.ts'
import type { SigningAlgorithm } from './signing.ts'

/** The issuer that the provider names. */
export interface MisbehavingProviderOptions {
  /** Its issuer, such as `https://login.microsoftonline.com/common/v2.0`. Default `url`. */
  readonly issuer?: string
}

/** An answer of a token endpoint; `body` is sent as JSON. */
export interface TokenAnswer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A JSON object that a provider sends. The token endpoint has two: one for a code, one for a refresh token. */
export type JsonAnswer = 'discovery' | 'jwks' | 'code' | 'refresh' | 'id_token' | 'userinfo'

/**
 * A small provider that behaves correctly until a fault is set. It logs every visitor in as `user`.
 */
export interface MisbehavingProvider {
  readonly issuer: string
  /** The loopback address that it listens on. */
  readonly url: string
  /** Reaches it under its issuer's name; an application takes it as its option `fetch`. */
  readonly fetch: typeof fetch
  readonly clientId: string
  readonly clientSecret: string
  /** The fault to show from now on; `undefined` to behave. */
  fault: Fault | undefined
  /**
   * The claims of the user who comes to log in. Refreshes and userinfo have those of the login, or the
   * present ones while `sub` is the same.
   */
  user: Record<string, unknown>
  /** More members of the discovery document. */
  metadata: Record<string, unknown>
  /** Seconds that access tokens last. Default 600. */
  accessTokenSeconds: number
  /** The `error_description` of every error of the token endpoint. */
  errorDescription: string | undefined
  /** The answer of the token endpoint to everything, in place of tokens. */
  tokenAnswer: TokenAnswer | undefined
  /** Rewrites the text of an object before it is signed or sent. */
  rewrite: ((answer: JsonAnswer, json: string) => string) | undefined
  /** Every request that came in. */
  readonly requests: ProviderRequest[]
  /** Every code, token and secret that it gave out or was shown, so that tests can search for them. */
  readonly secrets: string[]
  /** How many requests came in at a path. */
  count(path: string): number
  /** Replaces the signing key, RS256 unless another is named; the old one is no longer published. */
  rotateKey(alg?: SigningAlgorithm): void
  /** Makes a logout token; claims given as `undefined` are left out. */
  logoutToken(claims: Record<string, unknown>, header?: Record<string, unknown>): string
  /** Makes a JWT access token for `https://api.example`; claims given as `undefined` are left out. */
  accessToken(claims: Record<string, unknown>, header?: Record<string, unknown>): string
  /** The provider sessions of its logins so far, in order. */
  issuedSids(): string[]
  /**
   * Sends the responses that the fault `delayed` holds back, and behaves correctly from then on.
   */
  release(): void
  /** Stops answering, and starts again on the same port. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** One request that came in. */
export interface ProviderRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: URLSearchParams
  readonly authorization: string | undefined
}
