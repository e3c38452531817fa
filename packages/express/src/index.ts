import type { RequestAuth } from '@latchkey/core'

/** What a request has once it has passed `createAuthRouter`. */
interface WithAuth {
  /** What is known about the user of this request. */
  auth: RequestAuth
}

declare global {
  namespace Express {
    // Inherited, so that another package may declare an `auth` of its own.
    interface Request extends WithAuth {}
  }
}

export {
  AccessError,
  type AccessErrorCode,
  type AccessTokenRequest,
  type AppleKey,
  type AuthEvent,
  type AuthEventName,
  type AuthHealth,
  type AuthRequest,
  type AuthSession,
  appleClientSecret,
  type CallbackContext,
  CallbackError,
  type CallbackErrorCode,
  type ClaimsOf,
  type ClaimsSchema,
  ConfigError,
  type ConfigFault,
  createMemoryStore,
  DeniedError,
  type Hooks,
  isApiRequest,
  LatchkeyError,
  type LatchkeyErrorCode,
  type Logger,
  type LoginPrompt,
  type LoginRequest,
  LogoutError,
  type LogoutErrorCode,
  type LogoutNotice,
  type LogoutRequest,
  ProviderError,
  RefreshError,
  type RefreshErrorCode,
  type RequestAuth,
  RequestError,
  type Requirement,
  type RoleOf,
  redirectUriFor,
  SessionEndedError,
  type SessionInfo,
  type SessionStore,
  SessionStoreError,
  type User,
  type UserRequirement,
} from '@latchkey/core'
export { answerErrors } from './answer-errors.ts'
export { requireUser } from './require-user.ts'
export {
  type AuthRouter,
  type AuthRouterExchange,
  type AuthRouterOptions,
  createAuthRouter,
} from './router.ts'
export { type ExpressStore, fromExpressStore } from './session/from-express-store.ts'
export { getAuth, getUser } from './visits.ts'
