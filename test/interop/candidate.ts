import type { AuthOptions } from '@latchkey/express'
import type { Visitor } from './visitor.ts'

/** A provider that an application logs in with, or one configuration of it. */
export interface Candidate {
  /** As the table shows it. */
  readonly provider: string
  /** The version that is installed, or `undefined` where it is not. */
  readonly version: () => string | undefined
  /** The Debian package to install; npm packages are there already. */
  readonly aptPackage?: string
  /** What users of this provider have to know, for the table. */
  readonly remarks: string
  /** What the provider cannot do by itself. The journey shows everything else. */
  readonly lacks?: readonly Step[]
  /** Whether the visitor ends on a page of the provider after the log-out. */
  readonly keepsVisitorAfterLogout?: boolean
  /** For a configuration that the kit refuses: the error code, and what its message says. */
  readonly refused?: { readonly code: string; readonly says: RegExp }
  /** Whether the application is served over https. */
  readonly isSecure?: boolean
  start(application: ApplicationUrls): Promise<RunningProvider>
}

/** What a journey shows, one column of the table each. */
export type Step = 'login' | 'refresh' | 'logout' | 'back-channel'

/** What is entered at the provider. */
export interface ApplicationUrls {
  readonly redirectUri: string
  readonly postLogoutRedirectUri: string
  readonly backchannelLogoutUri: string
  /** Where the application listens, behind the proxy that ends TLS. */
  readonly servedAt: string
}

/** A provider that is ready, with the application registered. */
export interface RunningProvider extends AsyncDisposable {
  /** What is entered in the application. */
  readonly options: AuthOptions
  /** The `email` of the user who logs in. */
  readonly email: string
  /** From the provider's login page on: credentials and consent, up to the way back. */
  logIn(visitor: Visitor): Promise<void>
  /** Answers what the provider asks after the application sent the user there to log out. */
  confirmLogout?(visitor: Visitor): Promise<void>
  /** Revokes every token, without the application. The journey ends with it. */
  revokeTokens?(visitor: Visitor): Promise<void>
  /** Ends the user's session at the provider, without the application. */
  endSession?(visitor: Visitor): Promise<void>
}
