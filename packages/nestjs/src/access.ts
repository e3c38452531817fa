import type { Requirement } from '@latchkey/core'
import { Reflector } from '@nestjs/core'

/** The metadata key of {@link Access}. */
export const ACCESS = 'latchkey:access'

/** The access to a handler or controller: open to all visitors, or the requirement of its guard. */
export type Access = 'public' | Requirement<never, never>

/** The requirement that any logged-in user meets. */
export const ANY_USER: Requirement<never, never> = {}

const reflector = new Reflector()

/**
 * The access to a handler. Its requirement is combined with that of its class; for a member that
 * both have, the handler's value is used. Without a decorator, the requirement is {@link ANY_USER}.
 */
export function accessOf(handler: object, type: object): Access {
  const own = accessAt(handler)
  const shared = accessAt(type)
  if ((own ?? shared) === 'public') return 'public'
  const requirements = [shared, own].filter((one) => typeof one === 'object')
  const [only = ANY_USER] = requirements
  return requirements.length > 1 ? Object.assign({}, ...requirements) : only
}

/**
 * The access that a decorator of a handler or a class sets; `undefined` without such a decorator.
 */
export function accessAt(place: object): Access | undefined {
  return reflector.get<Access | undefined>(ACCESS, place as never)
}

/** Whether visitors who are not logged in may call a handler. */
export function isPublic(handler: object, type: object): boolean {
  return accessOf(handler, type) === 'public'
}
