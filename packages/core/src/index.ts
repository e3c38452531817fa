export { type Auth, createAuth } from './auth.ts'
export {
  AccessError,
  type AccessErrorCode,
  CallbackError,
  type CallbackErrorCode,
  ConfigError,
  type ConfigFault,
  LatchkeyError,
  type LatchkeyErrorCode,
  LogoutError,
  ProviderError,
  RefreshError,
  RequestError,
  SessionStoreError,
} from './errors.ts'
export type { Requirement } from './guard.ts'
export { isApiRequest } from './is-api-request.ts'
export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memory-store.ts'
export type {
  AuthOptions,
  AuthSessionOptions,
  Environment,
  ResolvedAuthOptions,
  ResolvedRoutes,
  RouteOptions,
} from './options.ts'
export type { AuthRequest } from './request.ts'
export { describeRequest, type RequestAuth, type User } from './request-auth.ts'
export { safeReturnTo } from './return-to.ts'
export type { AuthSession, SessionHandle, SessionTokens } from './session.ts'
export type {
  OnceMemory,
  RecordCookie,
  SessionIndex,
  SessionLock,
  SessionRecord,
  SessionStore,
} from './session-store.ts'
export type { SessionSettings, StoredSession, StoredSessions } from './stored-session.ts'
