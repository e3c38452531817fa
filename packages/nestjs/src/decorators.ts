import { type AppUser, ConfigError, type Requirement } from '@latchkey/core'
import { type GuardArguments, requirementOf } from '@latchkey/core/adapter'
import {
  createParamDecorator,
  type ExecutionContext,
  type PipeTransform,
  SetMetadata,
  type Type,
} from '@nestjs/common'
import { visits } from './visits.ts'

/** The metadata key of {@link Access}. */
export const ACCESS = 'latchkey:access'

/** The access to a handler or controller: no guard, or what its guard asks for. */
export type Access = 'public' | Requirement<never, never>

/** A pipe that a decorator of a parameter takes. */
export type PipeOf<T> = PipeTransform<T> | Type<PipeTransform<T>>

/** Lets every visitor reach a handler, or the handlers of a controller. Without it, a user must be logged in. */
export function Public(): ClassDecorator & MethodDecorator {
  return access('public')
}

/**
 * Asks more of a user than to be logged in, on a handler or a controller. A requirement of a handler adds
 * to that of its controller; where both have the same member, the one of the handler counts.
 *
 * @throws {@link ConfigError} for a requirement that would let every user in.
 */
export function RequireUser<Request = unknown, U = AppUser>(
  ...given: GuardArguments<Requirement<Request, U>>
): ClassDecorator & MethodDecorator {
  return access(requirementOf(given))
}

/** The logged-in user. Where no user is logged in, the request is answered with 401. */
export const CurrentUser: (...pipes: PipeOf<never>[]) => ParameterDecorator = parameter(
  visits.getUser,
)
/** The user of the request and their session, logged in or not: a `RequestAuth`. */
export const CurrentAuth: (...pipes: PipeOf<never>[]) => ParameterDecorator = parameter(
  visits.getAuth,
)
/** The application's own data in the session: a `SessionData`. */
export const CurrentData: (...pipes: PipeOf<never>[]) => ParameterDecorator = parameter(
  visits.getData,
)

function parameter(
  read: (request: object) => unknown,
): (...pipes: PipeOf<never>[]) => ParameterDecorator {
  return createParamDecorator((_data: unknown, context: ExecutionContext) =>
    read(context.switchToHttp().getRequest<object>()),
  )
}

function access(value: Access): ClassDecorator & MethodDecorator {
  const set = SetMetadata(ACCESS, value)
  return (target: object, key?: string | symbol, descriptor?: { readonly value?: unknown }) => {
    const marked = (descriptor?.value ?? target) as { readonly name: string }
    if (Reflect.hasOwnMetadata(ACCESS, marked)) throw new ConfigError([TWICE], `${marked.name}:`)
    set(target, key as never, descriptor as never)
  }
}

const TWICE = {
  option: '@Public() and @RequireUser()',
  remedy: 'stand on one handler or controller more than once. Leave one of them.',
}
