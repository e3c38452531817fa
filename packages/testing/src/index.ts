export type { CapturedMail } from '@latchkey/service'
export type { FetchHandler, NestApp, TestableApp } from './app.ts'
export { TestingError, type TestingErrorCode } from './errors.ts'
export { assertGuarded, type GuardedOptions } from './guarded/assert-guarded.ts'
export type { GuardReport } from './guarded/entries.ts'
export {
  type ClientOptions,
  type Identity,
  type IdentityOptions,
  startIdentity,
} from './identity/identity.ts'
export type { TestAgent } from './identity/log-in.ts'
export type { TestClock } from './identity/shifted-date.ts'
export type { UpstreamOptions } from './identity/upstream.ts'
export type { KnownUser, NewUser, TestUser, UserClaims } from './identity/users.ts'
export type {
  KeyCreation,
  KeyRequest,
  VirtualKey,
  VirtualKeyOptions,
} from './identity/virtual-key.ts'
export type { TestWebhooks } from './identity/webhooks.ts'
export { logInPage, type TestPage } from './playwright.ts'
export { type LogInOptions, logIn, type SupertestAgent } from './supertest.ts'
