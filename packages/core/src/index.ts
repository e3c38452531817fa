export { type Auth, type AuthHandle, type AuthHealth, createAuth } from './auth.ts'
export type { Platform } from './context.ts'
export {
  AccessError,
  type AccessErrorCode,
  type AccessErrorOptions,
  CallbackError,
  type CallbackErrorCode,
  ConfigError,
  DeniedError,
  LatchkeyError,
  type LatchkeyErrorCode,
  type LatchkeyErrorOptions,
  LogoutError,
  type LogoutErrorCode,
  ProviderError,
  RefreshError,
  type RefreshErrorCode,
  RequestError,
  SessionEndedError,
  SessionStoreError,
} from './errors.ts'
export type { AuthEvent, AuthEventName, Publish } from './events.ts'
export { asGuard } from './guard/as-guard.ts'
export { isApiRequest } from './guard/is-api-request.ts'
export type { RequestAuth } from './guard/request-auth.ts'
export {
  type ClaimRule,
  type Requirement,
  requirementOf,
  type UserRequirement,
} from './guard/requirement.ts'
export type { RoleOf, User } from './guard/user.ts'
export type { CallbackContext, Hooks, LogoutNotice, OnError } from './hooks.ts'
export type { HeaderSink } from './http/headers.ts'
export type { AuthRequest, RequestDetails } from './http/request.ts'
export type { Logger } from './log.ts'
export type { LoginPrompt, LoginRequest } from './login/login.ts'
export { safeReturnTo } from './login/return-to.ts'
export type { LogoutRequest } from './logout/logout.ts'
export type { ConfigFault } from './options/check-options.ts'
export type { ClaimsOf, ClaimsSchema, SchemaResult } from './options/claims-schema.ts'
export type {
  AuthOptions,
  AuthSessionOptions,
  ClientAssertionOptions,
  ClientAuth,
  ClientSecret,
  IssuerRegistration,
  IssuerResolver,
  ResolvedRoutes,
  RouteOptions,
  UserinfoOption,
} from './options/options.ts'
export { type AppleKey, appleClientSecret } from './provider/apple-client-secret.ts'
export { type RedirectUriSource, redirectUriFor } from './provider/redirect-uri.ts'
export type {
  ProviderAnswer,
  ProviderRequest,
  ProviderTransport,
} from './provider/transport.ts'
export {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
} from './session/memory-store.ts'
export type { AuthSession, SessionTokens } from './session/session.ts'
export type { SessionData } from './session/session-data.ts'
export type { SessionDirectory, SessionInfo, UserName } from './session/session-directory.ts'
export type {
  ReplayCache,
  SessionIndex,
  SessionLock,
  SessionRecord,
  SessionStore,
  StoreHealth,
  UpdateOutcome,
} from './session/session-store.ts'
export type { StoredSession } from './session/stored-session.ts'
export type { StoredSessions } from './session/stored-sessions.ts'
export type { AccessTokenRequest } from './tokens/refresh.ts'
export type { Answer, ResponsePort, Visit } from './visit.ts'
export { findVisit, setVisit, visitOf } from './visits.ts'
