export { createManagementClient, type ManagementClient } from './client.ts'
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ConnectionErrorCode,
  InvalidRequestError,
  ManagementError,
  /**
   * @deprecated The name of `ManagementError` until 0.2.0. Use `ManagementError`, because
   *   `@latchkey/core` also exports a `LatchkeyError`.
   */
  ManagementError as LatchkeyError,
  NotFoundError,
  OptionsError,
  PlaceGoneError,
  RateLimitError,
  type Refusal,
  ResponseError,
  ServerError,
} from './errors.ts'
export type { ListOptions, Page } from './list.ts'
export type { Fetch, FetchInit, FetchResponse, ManagementClientOptions } from './options.ts'
export type { Applications } from './resources/applications.ts'
export type { Audit, AuditQuery } from './resources/audit.ts'
export type { CreateOptions } from './resources/create.ts'
export type { Credentials } from './resources/credentials.ts'
export type { EventQuery, Events, FollowQuery } from './resources/events.ts'
export type { Grants } from './resources/grants.ts'
export type { Logo } from './resources/logo.ts'
export type { MailInput, Mails } from './resources/mails.ts'
export type { Programs } from './resources/programs.ts'
export type { Change, Deletable, Readable } from './resources/resource.ts'
export type { Sessions } from './resources/sessions.ts'
export type { Tenants } from './resources/tenants.ts'
export type { Texts } from './resources/texts.ts'
export type { UserSearch, Users } from './resources/users.ts'
export type { Webhooks } from './resources/webhooks.ts'
export type {
  ApiObject,
  Application,
  ApplicationInput,
  AuditEntry,
  Credential,
  CredentialInput,
  Delivery,
  EndpointAnswer,
  Grant,
  ImportAlgorithm,
  ImportChangeResult,
  ImportConflict,
  ImportConflictReason,
  ImportResult,
  LegacyPasswordInput,
  LegacyScheme,
  LoginObstacle,
  Mail,
  Metadata,
  Profile,
  Program,
  Session,
  Tenant,
  TenantEvent,
  TenantLogo,
  TenantSettings,
  TenantTexts,
  User,
  UserDataObject,
  UserImport,
  UserImportChange,
  UserInput,
  Webhook,
  WebhookInput,
  WebhookReplay,
  WebhookTest,
  WebhookWithSecret,
} from './types.ts'
