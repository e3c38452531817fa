// For the other packages of Latchkey: these names may change in every release.
export { storedSessionsOf } from '../auth.ts'
export type {
  Development,
  DevelopmentPackage,
  ErrorClasses,
  PersonaLogins,
  PersonaSettings,
  Recorder,
  RequestContext,
} from '../context.ts'
export { CODES } from '../errors/codes.ts'
export { readCookie, setCookie } from '../http/cookies.ts'
export { personasPath, recorderPath } from '../http/development.ts'
export { BODY_HEADERS } from '../http/headers.ts'
export { discoveryUrlOf } from '../http/issuer-url.ts'
export type { Observation } from '../http/observation.ts'
export { type AuthRequest, type AuthResponse, queryOf } from '../http/request.ts'
export { escapeHtml, page, redirect } from '../http/responses.ts'
export type { AuthEvent, AuthEventName } from '../log/events.ts'
export type { Log } from '../log/log.ts'
export type {
  ResolvedAuthOptions,
  ResolvedRegistration,
  RouteOptions,
} from '../options/options.ts'
export type { AuthSession } from '../session/session.ts'
export { isTouchDue } from '../session/session-record.ts'
export type { StoredSession } from '../session/stored-session.ts'
export type { StoredSessions } from '../session/stored-sessions.ts'
export type { StoreHealth } from '../session/stores/session-store.ts'
export * from '../shared/check-options.ts'
export { afterLoopTime } from '../shared/deadline.ts'
export { OldestFirst, remember } from '../shared/oldest-first.ts'
export { randomText } from '../shared/random.ts'
export { freeze } from '../shared/records.ts'
export { createByteSealer, deriveKey, macOf } from '../shared/sealing.ts'
