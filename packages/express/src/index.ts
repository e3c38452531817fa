import type { RequestAuth } from '@latchkey/core'

/** A request that has passed `createAuthRouter`. */
interface WithAuth {
  /** The user of this request and their session. */
  auth: RequestAuth
}

declare global {
  namespace Express {
    // `auth` is inherited, so that another package may declare an `auth` of its own.
    interface Request extends WithAuth {}
  }
}

export * from '@latchkey/core/application'
export { answerErrors } from './answer-errors.ts'
export { requireUser } from './require-user.ts'
export {
  type AuthOptions,
  type AuthRouter,
  type AuthRouterExchange,
  type AuthRouterOptions,
  createAuth,
  createAuthRouter,
} from './router.ts'
export {
  type ExpressSession,
  type ExpressStore,
  fromExpressStore,
} from './session/from-express-store.ts'
export { getAuth, getUser, mcpAuth, requireScopes } from './visits.ts'
export { createWebhookHandler } from './webhooks.ts'
