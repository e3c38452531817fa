import { ConfigError } from '../errors/errors.ts'
import { isScope } from '../options/resources.ts'
import {
  type CheckSettings,
  callable,
  checkOptions,
  flag,
  oneOf,
  type Rules,
  rule,
  whole,
} from '../shared/check-options.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'
import { isRecord } from '../shared/records.ts'
import type { AppUser, RoleOf } from './user.ts'

/** The requirement of a guard. An empty one asks for a logged-in user. */
export interface Requirement<Request = unknown, U = AppUser> {
  /**
   * One of these roles, or each role in `all`. The option `rolesFrom` says where roles come from.
   */
  readonly roles?: readonly RoleOf<U>[] | { readonly all: readonly RoleOf<U>[] }
  /** Values that claims must have, or functions that look at them. */
  readonly claims?: Readonly<Record<string, ClaimRule<Request>>>
  /** Whether this user may do this. Any result but `true` refuses the user; a thrown error goes to your error handler. */
  readonly check?: (user: U, request: Request) => MaybePromise<boolean>
  /**
   * The kinds of credentials that are accepted. `bearer` is an access token in the header
   * `Authorization`, and needs the option `bearer`. If a request has a token, only the token
   * counts. Default `['session']`.
   */
  readonly accept?: readonly ('session' | 'bearer')[]
  /** Scopes that a bearer token must have, every one; a session needs none. */
  readonly scopes?: readonly string[]
  /**
   * The path of the resource, as the option `resources` declares it, that a bearer token must be for. Default: the one with
   * the longest path that the address of the request is at or below; outside of all, `bearer.audience` counts.
   */
  readonly resource?: string
  /** How the user must have logged in; another login is asked for when they have not. */
  readonly acr?: string | readonly string[]
  /**
   * The most seconds since the user proved who they are; another login is asked for after that.
   * Less than 60 counts as 60: coming back from the provider takes time.
   */
  readonly maxAge?: number
  /**
   * `false` refuses a login in which another person acts for the user (`act`, RFC 8693 §4.1), such as an operator who
   * helps. A guard with `acr` or `maxAge` refuses it in any case. Default `true`.
   */
  readonly actor?: boolean
  /**
   * Whether to answer a person or a program. Default: decided by `isApiRequest`. With `page`, a
   * browser gets a page with a link to the login instead of a redirect.
   */
  readonly respond?: 'auto' | 'redirect' | 'json' | 'page'
  /**
   * `false` rehearses the guard: a logged-in user who does not meet `roles`, `claims`, `check`, `scopes`,
   * `acr`, `maxAge` or `actor` passes, with a log line and an event. Visitors are still sent to log in. Default `true`.
   */
  readonly enforce?: boolean
}

/** The value that a claim must have, or a function that looks at it. */
export type ClaimRule<Request = unknown> =
  | string
  | number
  | boolean
  | ((value: unknown, request: Request) => boolean)

/** The part of a requirement that `auth.has()` answers. All parts must be met. */
export interface UserRequirement<U = AppUser> {
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
 * The same type, but compared structurally. Otherwise the compiler compares a type with roles by
 * its user type, and a `RequestAuth<Staff>` is assignable to no other `RequestAuth`.
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
  accept: rule('["session", "bearer"], or an array of one of them', (value) => {
    return Array.isArray(value) && isFilled(value, (one) => one === 'session' || one === 'bearer')
  }),
  scopes: rule('an array of one scope or more', isScopeList),
  resource: rule('the path of a resource such as "/mcp"', isName),
  acr: rule('a string, or an array of one string or more', (value) => {
    return isName(value) || isNameList(value)
  }),
  maxAge: whole('seconds', 0),
  actor: flag,
  respond: oneOf('auto', 'redirect', 'json', 'page'),
  enforce: flag,
}

const SETTINGS: CheckSettings = {
  equivalents: {
    role: 'roles',
    permissions: 'Use "claims" or "check", or let the option "rolesFrom" make roles of them.',
    scope: 'scopes',
    audience: 'It is the option "bearer.audience" of the login.',
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
    accept: ONLY_GUARDS,
    scopes: ONLY_GUARDS,
    resource: ONLY_GUARDS,
    acr: ONLY_GUARDS,
    maxAge: ONLY_GUARDS,
    actor: ONLY_GUARDS,
    respond: ONLY_GUARDS,
    enforce: ONLY_GUARDS,
  },
}

const REHEARSED = ['roles', 'claims', 'check', 'scopes', 'acr', 'maxAge', 'actor'] as const
const NOTHING_TO_REHEARSE =
  'is false, but there is nothing to rehearse: a login is asked for in any case. Add "roles", "claims", "check", "scopes", "acr", "maxAge" or "actor".'
const ONLY_TOKENS = `are of bearer tokens, which this guard does not accept. Add accept: ['session', 'bearer'] or accept: ['bearer'].`
const ONLY_FOR_TOKENS = `is for bearer tokens, which this guard does not accept. Add accept: ['bearer'].`

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
  if (good.scopes && !good.accept?.includes('bearer')) {
    faults.push({ option: 'scopes', remedy: ONLY_TOKENS })
  }
  if (good.resource !== undefined && !good.accept?.includes('bearer')) {
    faults.push({ option: 'resource', remedy: ONLY_FOR_TOKENS })
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
 * The arguments of `requireUser()` of an adapter. A framework calls a handler with two or more, so that
 * `app.get(path, requireUser, handler)` does not compile.
 */
export type GuardArguments<Asked> = readonly [requirement?: Asked, parentheses?: never]

/**
 * Refuses a factory of an adapter that was handed to a framework without being called: the framework gave it
 * a request and more.
 *
 * @param more - The arguments after the options.
 * @param call - The call as it is written, and the line that it stands in.
 * @throws {@link ConfigError} with the line to write.
 */
export function mustBeCalled(more: readonly unknown[], call: string, line: string): void {
  if (more.length === 0) return
  throw new ConfigError([], `Parentheses are missing: write ${call}, as in ${line}.`)
}

/**
 * Reads what `requireUser()` of an adapter was given: no argument asks only for a logged-in user.
 *
 * @throws {@link ConfigError} as {@link checkRequirement} does, and when parentheses are missing: a
 *   framework that calls `requireUser` as a handler gives it a request and more.
 */
export function requirementOf<Asked extends object>(
  given: GuardArguments<Asked | undefined>,
): Asked {
  mustBeCalled(given.slice(1), 'requireUser()', 'app.get(path, requireUser(), handler)')
  const requirement = given.length === 0 ? ({} as Asked) : (given[0] as Asked)
  checkRequirement(requirement)
  return requirement
}

function isNameList(value: unknown): boolean {
  return Array.isArray(value) && isFilled(value, isName)
}

function isFilled(values: readonly unknown[], fits: (one: unknown) => boolean): boolean {
  return values.length > 0 && values.every(fits)
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isScopeList(value: unknown): boolean {
  return Array.isArray(value) && isFilled(value, isScope)
}

function isClaimRule(value: unknown): boolean {
  return ['string', 'number', 'boolean', 'function'].includes(typeof value)
}

function hasOnly(value: object, name: string): boolean {
  return Object.keys(value).join() === name
}

/** The error of a guard that accepts bearer tokens, behind a login that does not know whose they are. */
export function noAudience(): ConfigError {
  const remedy = `is not set, but a guard accepts bearer tokens. Set bearer: { audience: 'https://api.example.com' }, or "resources".`
  return new ConfigError([{ option: 'bearer', remedy }], 'A guard cannot decide:')
}
