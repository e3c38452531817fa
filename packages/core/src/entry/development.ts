// For `@latchkey/development` alone: these names may change in every release.
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
export { randomText } from '../shared/random.ts'
export { deriveKey, macOf } from '../shared/sealing.ts'
