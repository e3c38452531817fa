import { ConfigError } from '../errors.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import {
  type CheckSettings,
  callable,
  checkOptions,
  flag,
  oneOf,
  type Rules,
  rule,
  whole,
} from '../options/check-options.ts'
import { isRecord } from '../records.ts'
import type { RoleOf, User } from './user.ts'

/** The requirement of a guard. An empty one asks for a logged-in user. */
export interface Requirement<Request = unknown, U = User> {
  /** One of these roles, or every one of `all`. Where roles come from is the option `rolesFrom`. */
  readonly roles?: readonly RoleOf<U>[] | { readonly all: readonly RoleOf<U>[] }
  /** Values that claims must have, or functions that look at them. */
  readonly claims?: Readonly<Record<string, ClaimRule<Request>>>
  /** Whether this user may do this. Anything but `true` refuses; an error that is thrown is answered. */
  readonly check?: (user: U, request: Request) => MaybePromise<boolean>
  /** How the user must have logged in; another login is asked for when they have not. */
  readonly acr?: string | readonly string[]
  /**
   * The most seconds since the user proved who they are; another login is asked for after that.
   * Less than 60 counts as 60: coming back from the provider takes time.
   */
  readonly maxAge?: number
  /** Whether to answer a person or a program. Default: decided by `isApiRequest`. */
  readonly respond?: 'auto' | 'redirect' | 'json'
  /**
   * `false` rehearses the guard: a logged-in user who does not meet `roles`, `claims`, `check`, `acr` or
   * `maxAge` passes, with a log line and an event. A login is asked for all the same. Default `true`.
   */
  readonly enforce?: boolean
}

/** The value that a claim must have, or a function that looks at it. */
export type ClaimRule<Request = unknown> =
  | string
  | number
  | boolean
  | ((value: unknown, request: Request) => boolean)

/** The part of a requirement that `auth.has()` answers. Whatever is asked for must be met. */
export interface UserRequirement<U = User> {
  /** One of these roles, or every one of `all`. */
  readonly roles?: readonly RoleOf<U>[] | { readonly all: readonly RoleOf<U>[] }
  /** Values that claims must have, or functions that look at them. */
  readonly claims?: Readonly<
    Record<string, string | number | boolean | ((value: unknown) => boolean)>
  >
  /** Whether this user may do this. It answers at once: a promise is refused. */
  check?(user: U): boolean
}

/**
 * The same type, compared member by member. Otherwise the compiler takes a type that mentions roles to
 * be the same for the same user type alone, and a `RequestAuth<Staff>` fits nowhere else.
 */
export type ByMember<T> = { [Name in keyof T]: T[Name] }

const RULES: Rules<Requirement> = {
  roles: rule('an array of roles, or { all: [...] }, with one role or more', (value) => {
    return isNameList(isRecord(value) && hasOnly(value, 'all') ? value.all : value)
  }),
  claims: rule(
    'an object with one claim or more, each a string, a number, a boolean or a function',
    (value) => isRecord(value) && isFilled(Object.values(value), isClaimRule),
  ),
  check: callable,
  acr: rule('a string, or an array of one string or more', (value) => {
    return isName(value) || isNameList(value)
  }),
  maxAge: whole('seconds', 0),
  respond: oneOf('auto', 'redirect', 'json'),
  enforce: flag,
}

const SETTINGS: CheckSettings = {
  equivalents: {
    role: 'roles',
    permissions: 'Use "claims" or "check", or let the option "rolesFrom" make roles of them.',
    scope: 'Use "claims" or "check".',
    scopes: 'Use "claims" or "check".',
  },
  undefinedMeans: 'a fault',
  example: "{ roles: ['admin'] } or { check: (user) => user.isStaff === true }",
}

const USER_RULES: Rules<UserRequirement> = {
  roles: RULES.roles,
  claims: RULES.claims,
  check: RULES.check,
}

const ONLY_GUARDS = 'Use requireUser(): auth.has() asks about roles, claims and a check.'

const USER_SETTINGS: CheckSettings = {
  ...SETTINGS,
  equivalents: {
    ...SETTINGS.equivalents,
    acr: ONLY_GUARDS,
    maxAge: ONLY_GUARDS,
    respond: ONLY_GUARDS,
    enforce: ONLY_GUARDS,
  },
}

const REHEARSED = ['roles', 'claims', 'check', 'acr', 'maxAge'] as const
const NOTHING_TO_REHEARSE =
  'is false, but there is nothing to rehearse: a login is asked for in any case. Add "roles", "claims", "check", "acr" or "maxAge".'

const checked = new WeakSet<object>()

/**
 * Checks what a guard asks for. A guard that did not understand its requirement would let every user
 * in, so a member that is there must have a value: `undefined` and empty lists are faults.
 *
 * `admit` refuses what was never checked.
 *
 * @throws {@link ConfigError} listing every fault at once.
 */
export function checkRequirement(requirement: unknown): void {
  if (isRecord(requirement) && checked.has(requirement)) return
  const { faults, good } = checkOptions<Requirement>(requirement, RULES, SETTINGS, 'requirement')
  if (good.enforce === false && !REHEARSED.some((name) => good[name] !== undefined)) {
    faults.push({ option: 'enforce', remedy: NOTHING_TO_REHEARSE })
  }
  if (faults.length > 0) throw new ConfigError(faults, 'A guard cannot use what it was given:')
  checked.add(requirement as object)
}

/**
 * Checks what `auth.has()` is asked, as {@link checkRequirement} does for a guard.
 *
 * @throws {@link ConfigError} listing every fault at once.
 */
export function checkUserRequirement(asked: unknown): void {
  const { faults } = checkOptions(asked, USER_RULES, USER_SETTINGS, 'requirement')
  if (faults.length > 0) throw new ConfigError(faults, 'auth.has() cannot use what it was given:')
}

/**
 * Reads what `requireUser()` of an adapter was given: nothing asks for a user alone.
 *
 * @throws {@link ConfigError} as {@link checkRequirement} does, and when parentheses are missing: a
 *   framework that calls `requireUser` as a handler gives it a request and more.
 */
export function requirementOf<Asked extends Requirement<never, never>>(
  given: readonly [requirement?: Asked | undefined],
): Asked {
  if (given.length > 1) throw new ConfigError([], NO_PARENTHESES)
  const requirement = given.length === 0 ? ({} as Asked) : (given[0] as Asked)
  checkRequirement(requirement)
  return requirement
}

const NO_PARENTHESES =
  'Parentheses are missing: write requireUser(), as in app.get(path, requireUser(), handler).'

function isNameList(value: unknown): boolean {
  return Array.isArray(value) && isFilled(value, isName)
}

function isFilled(values: readonly unknown[], fits: (one: unknown) => boolean): boolean {
  return values.length > 0 && values.every(fits)
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isClaimRule(value: unknown): boolean {
  return ['string', 'number', 'boolean', 'function'].includes(typeof value)
}

function hasOnly(value: object, name: string): boolean {
  return Object.keys(value).join() === name
}
