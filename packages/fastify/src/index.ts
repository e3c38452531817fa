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
  type SessionData,
  type User,
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
