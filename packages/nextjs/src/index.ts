export * from '@latchkey/core/application'
export {
  type AppAuth,
  type AppAuthOptions,
  type AuthOptions,
  createAuth,
  type RouteHandler,
} from './create-auth.ts'
export { createWebhookHandler } from './webhooks.ts'
