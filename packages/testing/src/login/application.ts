import type { Logger } from '@latchkey/core'
import type { TestableApp } from '../app.ts'
import type { ClientOptions } from '../identity/identity.ts'

/** The options of the application under test. */
export interface LoginAppOptions extends ClientOptions {
  /** Collects the log lines. The tests search them for tokens. */
  readonly logger: Logger
  /**
   * The seconds to wait for the provider. They are few, because in some cases it never answers, and
   * more on a busy machine.
   */
  readonly timeoutSeconds: number
}

/** Creates an application that logs in with these options. The function is called for each case. */
export type CreateLoginApp = (options: LoginAppOptions) => TestableApp | Promise<TestableApp>

/** The paths of the application under test. */
export interface DescribeLoginOptions {
  /** The path of a page that only logged-in users see. Default `/account`. */
  readonly guardedPath?: string
  /** The path of the login route. Default `/login`. */
  readonly loginPath?: string
  /** The path of the logout route. `false` skips the logout cases. Default `/logout`. */
  readonly logoutPath?: string | false
  /**
   * The path of the back-channel logout route. `false` skips its cases. Default
   * `/backchannel-logout`.
   */
  readonly backchannelLogoutPath?: string | false
  /** Claims of the user, such as the roles that the guarded page requires. */
  readonly user?: Readonly<Record<string, unknown>>
  /**
   * Claims of a second user, who must have another `sub` and another `email`. All other claims are
   * those of the first user. Default: derived from the first user, such as `ada.second@example.com`.
   */
  readonly secondUser?: Readonly<Record<string, unknown>>
}
