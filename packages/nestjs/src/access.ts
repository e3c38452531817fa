import type { Requirement } from '@latchkey/core'
import { Reflector } from '@nestjs/core'

/** The metadata key of {@link Access}. */
export const ACCESS = 'latchkey:access'

/** The value of a decorator: open to all visitors, or a requirement. */
export type Access = 'public' | AnyRequirement

/**
 * The access to a handler: open to all visitors, or the requirements of its guard, each of which
 * must be met.
 */
export type HandlerAccess = 'public' | readonly AnyRequirement[]

type AnyRequirement = Requirement<never, never>

/** The requirement that any logged-in user meets. */
export const ANY_USER: AnyRequirement = {}

const reflector = new Reflector()

/**
 * The access to a handler. Its requirement is combined with that of its class; for a member that
 * both have, the handler's value is used. Without a decorator, the requirement is {@link ANY_USER}.
 */
export function accessOf(handler: object, type: object): HandlerAccess {
  const own = accessAt(handler)
  const shared = accessAt(type)
  if ((own ?? shared) === 'public') return 'public'
  const [first = ANY_USER, second] = [shared, own].filter((one) => typeof one === 'object')
  return second ? combined(first, second) : [first]
}

/**
 * Combines the requirements of a class and its handler. If one of them has `enforce: false`, only
 * its own rules are rehearsed, in a requirement of their own.
 */
function combined(shared: AnyRequirement, own: AnyRequirement): readonly AnyRequirement[] {
  const all = { ...shared, ...own }
  if (all.enforce !== false || shared.enforce === own.enforce) return [all]
  const isOwn = own.enforce === false
  const settings = pick(all, (name) => !isRule(name))
  const rehearsed = pick(all, (name) => isRule(name) && name in own === isOwn)
  const enforced = { ...(isOwn ? shared : own), ...settings, enforce: true }
  // The handler may have replaced every rule of its class.
  if (Object.keys(rehearsed).length === 0) return [enforced]
  return [enforced, { ...settings, ...rehearsed }]
}

function pick(requirement: AnyRequirement, picks: (name: string) => boolean): AnyRequirement {
  return Object.fromEntries(Object.entries(requirement).filter(([name]) => picks(name)))
}

/** Whether a member of a requirement is a rule, which `enforce: false` rehearses. */
function isRule(name: string): boolean {
  return !['accept', 'resource', 'respond', 'enforce'].includes(name)
}

/**
 * Checks the requirements of a handler in turn.
 *
 * @returns The first refusal; `undefined` if every requirement is met.
 */
export async function firstRefusal<Refused>(
  requirements: readonly AnyRequirement[],
  check: (requirement: AnyRequirement) => Refused | undefined | Promise<Refused | undefined>,
): Promise<Refused | undefined> {
  for (const requirement of requirements) {
    const refusal = await check(requirement)
    if (refusal) return refusal
  }
  return undefined
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
