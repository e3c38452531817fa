import type { Requirement } from '@latchkey/core'
import { Reflector } from '@nestjs/core'

/** The metadata key of {@link Access}. */
export const ACCESS = 'latchkey:access'

/** The access to a handler or controller: no guard, or the requirement of its guard. */
export type Access = 'public' | Requirement<never, never>

/** The requirement for a logged-in user. */
export const ANY_USER: Requirement<never, never> = {}

const reflector = new Reflector()

/** The requirement of a handler, combined with that of its class. */
export function accessOf(handler: object, type: object): Access {
  const own = accessAt(handler)
  const shared = accessAt(type)
  if ((own ?? shared) === 'public') return 'public'
  const requirements = [shared, own].filter((one) => typeof one === 'object')
  const [only = ANY_USER] = requirements
  return requirements.length > 1 ? Object.assign({}, ...requirements) : only
}

/** The access that the decorators of a handler or a class set. */
export function accessAt(place: object): Access | undefined {
  return reflector.get<Access | undefined>(ACCESS, place as never)
}

/** Whether visitors may call a handler. */
export function isPublic(handler: object, type: object): boolean {
  return accessOf(handler, type) === 'public'
}
