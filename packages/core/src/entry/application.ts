// The names that applications use under every framework. Adapters export them as well.
export type { AuthHandle, AuthHealth } from '../auth.ts'
export type {
  AccessErrorCode,
  CallbackErrorCode,
  CookieSessionErrorCode,
  LatchkeyErrorCode,
  LogoutErrorCode,
  RefreshErrorCode,
  WebhookErrorCode,
} from '../errors/codes.ts'
export {
  AccessError,
  CallbackError,
  ConfigError,
  CookieSessionError,
  DeniedError,
  LatchkeyError,
  LogoutError,
  ProviderError,
  RefreshError,
  RequestError,
  SessionEndedError,
  SessionStoreError,
  WebhookError,
} from '../errors/errors.ts'
export type { McpAuth } from '../guard/mcp-auth.ts'
export type { RequestAuth } from '../guard/request-auth.ts'
export type { Requirement, UserRequirement } from '../guard/requirement.ts'
export type { AppTypes, AppUser, RoleOf, User } from '../guard/user.ts'
export { isApiRequest } from '../http/is-api-request.ts'
export { redirectUriFor } from '../http/redirect-uri.ts'
export type { AuthRequest } from '../http/request.ts'
export type { AuthEvent, AuthEventName } from '../log/events.ts'
export type { Logger } from '../log/log.ts'
export type { LoginPrompt, LoginRequest } from '../login/login.ts'
export type { LogoutRequest } from '../logout/logout.ts'
export type { CallbackContext, Hooks, LogoutNotice, NewDevice } from '../options/hooks.ts'
export { type AppleKey, appleClientSecret } from '../provider/apple-client-secret.ts'
export type { ClaimsSchema, UserOf } from '../session/claims-schema.ts'
export type { AuthSession } from '../session/session.ts'
export type { SessionData } from '../session/session-data.ts'
export type { SessionInfo } from '../session/session-directory.ts'
export { createMemoryStore } from '../session/stores/memory-store.ts'
export type { SessionStore } from '../session/stores/session-store.ts'
export type { ConfigFault } from '../shared/check-options.ts'
export type { TelemetryApi } from '../shared/telemetry.ts'
export type { PageTexts } from '../texts/page-texts.ts'
export type { AccessTokenRequest } from '../tokens/refresh.ts'
export type { WebhookHandlerOptions } from '../webhooks/options.ts'
export type {
  UnknownWebhookEvent,
  WebhookData,
  WebhookEvent,
  WebhookEventOf,
  WebhookEventType,
} from '../webhooks/webhook-event.ts'
