import type { AuthOptions } from '@latchkey/express'

/** A provider that is reached on the internet alone, as its documentation describes it. */
export interface Vendor {
  readonly name: string
  /** The pages of the vendor that say so. */
  readonly sources: readonly string[]
  /** What an application passes to `createAuthRouter()`. */
  readonly options: AuthOptions
  /** The discovery document: what it has beyond the members that every provider has. */
  readonly metadata: VendorMetadata
  /** Whether there is a discovery document. Default `true`. */
  readonly hasDiscovery?: boolean
  /** The claims of the ID token, in place of those of the emulation; `undefined` leaves one out. */
  readonly claims: Readonly<Record<string, unknown>>
  /** Whether the authorization response has `iss` (RFC 9207). */
  readonly sendsIss?: boolean
  /** Where the keys, the token response or anything else differs. */
  readonly change?: VendorChanges
  /** How the ID tokens are signed, where it is not with RS256. */
  readonly signsWithSecret?: boolean
  /** What the application knows of the user after the login. */
  readonly user?: Readonly<Record<string, unknown>>
  /** A role that `requireUser({ roles })` finds. */
  readonly role?: string
  /** Parameters that the authorization request has to have. */
  readonly request?: Readonly<Record<string, string>>
  /** How the client authenticates. */
  readonly clientAuth?: 'basic' | 'post'
  /** What the secret looks like, where it is made for each request. */
  readonly clientSecret?: RegExp
  /** Where the log-out leads, and what the address has in it; `undefined` for no endpoint. */
  readonly logout?: {
    readonly endpoint: string
    readonly parameters: readonly string[]
    readonly leftOut?: readonly string[]
  }
  /** Whether the provider tells applications by back-channel logout that a session ended. */
  readonly hasBackchannelLogout?: boolean
  /** For a provider that the kit refuses: the error code, and what the message says. */
  readonly refused?: { readonly code: string; readonly says: RegExp }
}

/** A discovery document. */
export interface VendorMetadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint?: string
  readonly jwks_uri: string
  readonly userinfo_endpoint?: string
  readonly end_session_endpoint?: string
  readonly token_endpoint_auth_methods_supported?: readonly string[]
  readonly [member: string]: unknown
}

/** Changes to what the emulation answers. */
export interface VendorChanges {
  readonly key?: (key: Record<string, unknown>) => Record<string, unknown>
  readonly keys?: (keys: Record<string, unknown>[]) => Record<string, unknown>[]
  readonly token?: (answer: Record<string, unknown>, body: URLSearchParams) => TokenAnswer
}

/** A changed token response. */
export interface TokenAnswer {
  readonly status?: number
  readonly body: Readonly<Record<string, unknown>>
}
