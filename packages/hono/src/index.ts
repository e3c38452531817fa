export {
  AccessError,
  ConfigError,
  DeniedError,
  isApiRequest,
  LatchkeyError,
  type RequestAuth,
  type Requirement,
  type RoleOf,
  type SessionData,
  type User,
  type UserRequirement,
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
