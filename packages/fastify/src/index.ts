import type { RequestAuth, User } from '@latchkey/core'
import type { FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** What is known about the user of this request. */
    readonly auth: RequestAuth<User, FastifyReply>
  }
}

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
  type AuthPlugin,
  type AuthPluginOptions,
  createAuth,
  getAuth,
  getData,
  getUser,
  requireUser,
} from './fastify.ts'
