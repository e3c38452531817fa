export * from '@latchkey/core/application'
export {
  CurrentAuth,
  CurrentData,
  CurrentUser,
  type PipeOf,
  Public,
  RequireUser,
} from './decorators.ts'
export {
  type AuthOptions,
  LatchkeyModule,
  type LatchkeyModuleAsyncOptions,
  type LatchkeyModuleOptions,
} from './latchkey-module.ts'
export { LatchkeyService } from './latchkey-service.ts'
export { getAuth, getData, getUser, mcpAuth, requireScopes } from './visits.ts'
export { createWebhookHandler, type WebhookMiddleware } from './webhooks.ts'
