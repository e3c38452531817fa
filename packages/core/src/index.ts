export { type AppleKey, appleClientSecret } from './apple-client-secret.ts'
export { type Auth, type AuthHealth, createAuth } from './auth.ts'
export type { ConfigFault } from './check-options.ts'
export type { ClaimsOf, ClaimsSchema, SchemaResult } from './claims-schema.ts'
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
export type { CallbackContext, Hooks, LogoutNotice, OnError } from './hooks.ts'
export { isApiRequest } from './is-api-request.ts'
export type { Logger } from './log.ts'
export type { LoginPrompt, LoginRequest } from './login.ts'
export type { LogoutRequest } from './logout.ts'
export type { MaybePromise } from './maybe-promise.ts'
export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memory-store.ts'
export type {
  AuthOptions,
  AuthSessionOptions,
  ClientAssertionOptions,
  ClientAuth,
  ClientSecret,
  IssuerRegistration,
  IssuerResolver,
  ResolvedAuthOptions,
  ResolvedRoutes,
  RouteOptions,
  UserinfoOption,
} from './options.ts'
export type { ProviderAnswer, ProviderRequest, ProviderTransport } from './provider-fetch.ts'
export { type RedirectUriSource, redirectUriFor } from './redirect-uri.ts'
export type { AccessTokenRequest } from './refresh.ts'
export type { AuthRequest, AuthResponse } from './request.ts'
export type { RequestAuth, RequestPort, User } from './request-auth.ts'
export { type ClaimRule, checkRequirement, type Requirement } from './requirement.ts'
export { safeReturnTo } from './return-to.ts'
export type { AuthSession, SessionHandle, SessionTokens } from './session.ts'
export type { SessionDirectory, SessionInfo, UserName } from './session-directory.ts'
export type {
  OnceMemory,
  RecordCookie,
  ReplaceOutcome,
  SessionIndex,
  SessionLock,
  SessionRecord,
  SessionStore,
  StoreCondition,
} from './session-store.ts'
export type { SessionSettings, StoredSession, StoredSessions } from './stored-session.ts'
