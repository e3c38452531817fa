export { type Auth, createAuth } from '../auth.ts'
export type { Platform } from '../context.ts'
export type { AccessErrorOptions, LatchkeyErrorOptions } from '../errors/errors.ts'
export type { Admission, Decision, Refusal } from '../guard/refusal.ts'
export type { ClaimRule } from '../guard/requirement.ts'
export type { RequestDetails } from '../http/request.ts'
export type { ResourceOptions } from '../http/resources.ts'
export { safeReturnTo } from '../http/return-to.ts'
export type { Publish } from '../log/events.ts'
export type { OnError } from '../options/hooks.ts'
export type {
  AdoptedSession,
  AdoptOptions,
  AuthOptions,
  AuthSessionOptions,
  BearerOptions,
  ClientAssertionOptions,
  ClientAuth,
  ClientSecret,
  IssuerRegistration,
  IssuerResolver,
  KeepFormsOptions,
  ResolvedRoutes,
  ReturnToOptions,
  RouteOptions,
  UserinfoOption,
} from '../options/options.ts'
export type {
  ProviderAnswer,
  ProviderRequest,
  ProviderTransport,
} from '../provider/transport.ts'
export type { SessionTokens } from '../session/session.ts'
export type { SessionDirectory, UserName } from '../session/session-directory.ts'
export type { MemoryStore, MemoryStoreOptions } from '../session/stores/memory-store.ts'
export type {
  ReplayCache,
  SessionIndex,
  SessionLock,
  SessionRecord,
  UpdateOutcome,
} from '../session/stores/session-store.ts'
export type { Answer, ResponsePort, Visit } from '../visit/visit.ts'
export * from './application.ts'
