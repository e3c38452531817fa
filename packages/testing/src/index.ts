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
} from './identity.ts'
export type { TestAgent } from './log-in.ts'
export { logInPage, type TestPage } from './playwright.ts'
export type { TestClock } from './shifted-date.ts'
export { type LogInOptions, logIn, type SupertestAgent } from './supertest.ts'
export type { UpstreamOptions } from './upstream.ts'
export type { KnownUser, NewUser, TestUser, UserClaims } from './users.ts'
export type {
  KeyCreation,
  KeyRequest,
  VirtualKey,
  VirtualKeyOptions,
} from './virtual-key.ts'
export type { TestWebhooks } from './webhooks.ts'
