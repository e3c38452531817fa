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
  type AuthEnv,
  type AuthMiddleware,
  type AuthMiddlewareOptions,
  createAuth,
  getAuth,
  getData,
  getUser,
  requireUser,
} from './hono.ts'
