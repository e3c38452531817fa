export {
  AccessError,
  ConfigError,
  DeniedError,
  isApiRequest,
  LatchkeyError,
  type RequestAuth,
  type Requirement,
  type SessionData,
  type User,
} from '@latchkey/core'
export {
  type AuthMiddleware,
  type AuthMiddlewareOptions,
  createAuth,
  getAuth,
  getData,
  getUser,
  type KoaContext,
  type KoaMiddleware,
  requireUser,
} from './koa.ts'
