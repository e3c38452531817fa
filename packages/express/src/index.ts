import type { RequestAuth } from '@latchkey/core'

declare global {
  namespace Express {
    interface Request {
      /** What is known about the user of this request, once it has passed `createAuthRouter`. */
      auth: RequestAuth
    }
  }
}

export {
  AccessError,
  type AppleKey,
  type AuthEvent,
  type AuthEventName,
  appleClientSecret,
  CallbackError,
  ConfigError,
  DeniedError,
  isApiRequest,
  LatchkeyError,
  type Logger,
  ProviderError,
  RefreshError,
  type RequestAuth,
  type Requirement,
  redirectUriFor,
  type User,
} from '@latchkey/core'
export { requireUser } from './require-user.ts'
export {
  type AuthRouter,
  type AuthRouterExchange,
  type AuthRouterOptions,
  type AuthRouterSessionOptions,
  createAuthRouter,
  getUser,
} from './router.ts'
