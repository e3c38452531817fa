export { type Clock, systemClock } from './clock.ts'
export type { SecretRotation } from './domain/applications/applications.ts'
export type { AuthenticatorApp } from './domain/factors/authenticator-app.ts'
export type { ApiKeyInput } from './domain/keys/api-keys.ts'
export type { OperatorInput } from './domain/operators/operators.ts'
export type { DomainVerification } from './domain/tenants/domain-names.ts'
export type { PasswordEngineOptions } from './domain/users/password-engine.ts'
export type { ServiceEvents } from './domain/writes/context.ts'
export { type ErrorCode, ServiceError } from './domain/writes/errors.ts'
export type { CapturedMail } from './mail/outbox.ts'
export type { SmtpOptions } from './mail/smtp.ts'
export type { Admin, RotationOptions } from './operate/admin.ts'
export type { SeedReport } from './operate/seed.ts'
export type { ListenOptions } from './server/http-server.ts'
export type { TlsOptions } from './server/tls.ts'
export { createIdentityService, type IdentityService } from './service.ts'
export type { DatabaseOptions, IdentityServiceOptions } from './service-options.ts'
export type { AuditQuery, OperatorUser } from './store/ports.ts'
export type {
  ApiKey,
  AuditEntry,
  AuditOutcome,
  Metadata,
  Micros,
  Operator,
  OperatorRole,
  Reach,
  StoredAuditEntry,
  Tenant,
  TenantSettings,
  User,
} from './store/records.ts'
