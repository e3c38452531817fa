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

/**
 * The requirement of a guard. All parts must be met. An empty requirement asks only for a logged-in
 * user.
 */
export interface Requirement<Request = unknown, U = AppUser> {
  /**
   * The roles, of which the user needs one or, with `all`, every one. The option `rolesFrom` says
   * where roles come from.
   */
  readonly roles?: readonly RoleOf<U>[] | { readonly all: readonly RoleOf<U>[] }
  /** The value that each claim must have, or a function that decides. */
  readonly claims?: Readonly<Record<string, ClaimRule<Request>>>
  /**
   * Decides whether the user may do this. Any result but `true` refuses the user. A thrown error
   * goes to your error handler.
   */
  readonly check?: (user: U, request: Request) => MaybePromise<boolean>
  /**
   * The kinds of credentials that are accepted. `bearer` is an access token in the header
   * `Authorization`, and needs the option `bearer` or `resources`. If a request has a token, its
   * session is ignored. Default `['session']`.
   */
  readonly accept?: readonly ('session' | 'bearer')[]
  /** The scopes that a bearer token must have, all of them. A session needs no scopes. */
  readonly scopes?: readonly string[]
  /**
   * The resource that a bearer token must be for, by its `path` in the option `resources`. Default:
   * the resource whose path contains the request; of several, the one with the longest path. If no
   * path does, the token must be for `bearer.audience`.
   */
  readonly resource?: string
  /**
   * The accepted authentication context, or several (`acr`, OIDC Core 1.0 §2). A user whose login
   * has none of them is sent to log in again.
   */
  readonly acr?: string | readonly string[]
  /**
   * The most seconds since the user last authenticated at the provider. A user whose login is older
   * is sent to log in again. A value below 60 counts as 60, because the way back from the provider
   * takes time.
   */
  readonly maxAge?: number
  /**
   * `false` refuses a session in which another person acts for the user, such as a support operator
   * (`act`, RFC 8693 §4.1). Such a session is also refused if it does not meet `acr` or `maxAge`.
   * Default `true`.
   */
  readonly actor?: boolean
  /**
   * The form of a refusal: a redirect, JSON, or a page with a link to the login. Default `auto`:
   * `isApiRequest` decides between a redirect and JSON.
   */
  readonly respond?: 'auto' | 'redirect' | 'json' | 'page'
  /**
   * `false` rehearses the guard. A logged-in user who does not meet `roles`, `claims`, `check`,
   * `scopes`, `acr`, `maxAge` or `actor` passes, and a log line and an event report it. Visitors
   * who are not logged in are still sent to log in. Default `true`.
   */
  readonly enforce?: boolean
}

/** The value that a claim must have, or a function that decides. */
export type ClaimRule<Request = unknown> =
  | string
  | number
  | boolean
  | ((value: unknown, request: Request) => boolean)

/** The requirement of `auth.has()`. All parts must be met. */
export interface UserRequirement<U = AppUser> {
  /** The roles, of which the user needs one or, with `all`, every one. */
  readonly roles?: readonly RoleOf<U>[] | { readonly all: readonly RoleOf<U>[] }
  /** The value that each claim must have, or a function that decides. */
  readonly claims?: Readonly<
    Record<string, string | number | boolean | ((value: unknown) => boolean)>
  >
  /** Decides whether the user may do this. It must not return a promise. */
  check?(user: U): boolean
}

/**
 * A copy of `T` that the compiler compares by its members. Otherwise the compiler compares two
 * requirements by their user types, and a `RequestAuth<Staff>` would be assignable to no other
 * `RequestAuth`.
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
 * Checks the requirement of a guard. A guard that ignored a faulty member could let every user in,
 * so a member without a value (`undefined`, or an empty list) is a fault. A requirement that has
 * passed is not checked again.
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
 * Checks the requirement of `auth.has()`, as {@link checkRequirement} does for a guard.
 *
 * @throws {@link ConfigError} listing every fault at once.
 */
export function checkUserRequirement(asked: unknown): void {
  const { faults } = checkOptions(asked, USER_RULES, USER_SETTINGS, 'requirement')
  if (faults.length > 0) throw new ConfigError(faults, 'auth.has() cannot use what it was given:')
}

/**
 * The arguments of an adapter's `requireUser()`. Frameworks call handlers with two arguments or
 * more, so `app.get(path, requireUser, handler)` without the parentheses does not compile.
 */
export type GuardArguments<Asked> = readonly [requirement?: Asked, parentheses?: never]

/**
 * Throws if an adapter's factory was used as a handler, as in `app.get(path, requireUser,
 * handler)`.
 *
 * @param more - The arguments after the options.
 * @param call - The correct call, such as `requireUser()`.
 * @param line - An example line with that call.
 * @throws {@link ConfigError} with the line to write.
 */
export function mustBeCalled(more: readonly unknown[], call: string, line: string): void {
  if (more.length === 0) return
  throw new ConfigError([], `Parentheses are missing: write ${call}, as in ${line}.`)
}

/**
 * Reads the arguments of an adapter's `requireUser()`. No argument means any logged-in user.
 *
 * @throws {@link ConfigError} as {@link checkRequirement} does, and when `requireUser` was used as
 *   a handler without parentheses.
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

/** The error of a guard that accepts bearer tokens, if the options name no audience. */
export function noAudience(): ConfigError {
  const remedy = `is not set, but a guard accepts bearer tokens. Set bearer: { audience: 'https://api.example.com' }, or "resources".`
  return new ConfigError([{ option: 'bearer', remedy }], 'A guard cannot decide:')
}
