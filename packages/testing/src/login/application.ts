import type { Logger } from '@latchkey/core'
import type { TestableApp } from '../app.ts'
import type { ClientOptions } from '../identity.ts'

/** The options that the application under test is created with. */
export interface LoginAppOptions extends ClientOptions {
  /** Collects the log lines, which are searched for tokens. */
  readonly logger: Logger
  /** Short, so that an answer of the provider that never comes is soon given up. */
  readonly timeoutSeconds: number
}

/** Creates an application that logs in with these options. It is called for each case. */
export type CreateLoginApp = (options: LoginAppOptions) => TestableApp | Promise<TestableApp>

/** Where the application under test has what the cases need. */
export interface DescribeLoginOptions {
  /** A page that only logged-in users see. Default `/account`. */
  readonly guardedPath?: string
  /** Default `/login`. */
  readonly loginPath?: string
  /** Default `/logout`; `false` leaves out the cases of logging out. */
  readonly logoutPath?: string | false
  /** Default `/backchannel-logout`; `false` leaves out the cases of logout notices. */
  readonly backchannelLogoutPath?: string | false
  /** Claims of the user, such as the roles that the guarded page asks for. */
  readonly user?: Readonly<Record<string, unknown>>
}
