import { type AppUser, ConfigError, type Requirement } from '@latchkey/core'
import { type GuardArguments, requirementOf } from '@latchkey/core/adapter'
import {
  createParamDecorator,
  type ExecutionContext,
  type PipeTransform,
  SetMetadata,
  type Type,
} from '@nestjs/common'
import { ACCESS, type Access } from './access.ts'
import { readVisit } from './visit-of.ts'

/** A pipe for a parameter decorator. */
export type PipeOf<T> = PipeTransform<T> | Type<PipeTransform<T>>

/**
 * Opens a handler, or every handler of a controller, to all visitors. Without this decorator, only
 * logged-in users are let in.
 */
export function Public(): ClassDecorator & MethodDecorator {
  return access('public')
}

/**
 * Sets the requirement of a handler or a controller, such as roles. The requirement of a handler is
 * combined with that of its controller. If both have the same member, the handler's value is used.
 * `enforce: false` rehearses only the rules beside it, not those of the other decorator.
 *
 * @throws {@link ConfigError} for a requirement with an unknown name, a wrong type, or a member
 *   that is `undefined` or empty.
 */
export function RequireUser<Request = unknown, U = AppUser>(
  ...given: GuardArguments<Requirement<Request, U>>
): ClassDecorator & MethodDecorator {
  return access(requirementOf(given))
}

/** Passes the logged-in user to a parameter. If no user is logged in, the response is 401. */
export const CurrentUser: (...pipes: PipeOf<never>[]) => ParameterDecorator = parameter(
  (visit, admission = visit) => admission.user(),
)
/**
 * Passes the `RequestAuth` of the request to a parameter: the user, if one is logged in, and the
 * session.
 */
export const CurrentAuth: (...pipes: PipeOf<never>[]) => ParameterDecorator = parameter(
  (visit, admission = visit) => admission.auth,
)
/** Passes the application's own data in the session, a `SessionData`, to a parameter. */
export const CurrentData: (...pipes: PipeOf<never>[]) => ParameterDecorator = parameter(
  (visit) => visit.data,
)

function parameter(
  read: Parameters<typeof readVisit>[1],
): (...pipes: PipeOf<never>[]) => ParameterDecorator {
  return createParamDecorator((_data: unknown, context: ExecutionContext) =>
    readVisit(context, read),
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
