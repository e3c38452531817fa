import {
  type Admission,
  ConfigError,
  LatchkeyError,
  type Refusal,
  type Visit,
} from '@latchkey/core'
import type { NodeRequest } from '@latchkey/core/node'
import type { ExecutionContext } from '@nestjs/common'
import { MetadataScanner, type ModulesContainer } from '@nestjs/core'
import { firstRefusal, type HandlerAccess, isPublic } from './access.ts'
import { type Connections, forgedRefusal } from './connections.ts'
import { notMounted, orRefusal, refusalFrom, told } from './refusals.ts'
import { visits } from './visits.ts'

type AnyVisit = Visit<never, unknown>
type Members = Readonly<Record<string, unknown>>

/**
 * The part of the GraphQL context that `graphql-ws` adds: the socket and the request of its
 * handshake.
 */
interface Extra {
  readonly request: NodeRequest
  readonly socket: object
}

/**
 * The users whom the guards of resolvers have let in, by the `info` of the call. GraphQL runs the
 * guards of several resolvers at the same time on one visit.
 */
const admissions = new WeakMap<object, Admission<never, unknown>>()

/** The visits of operations over WebSockets, by the GraphQL context of the operation. */
const operations = new WeakMap<object, Opening>()

interface Opening {
  readonly opened: Promise<AnyVisit>
  visit?: AnyVisit
}

/**
 * Checks whether the request of an operation may call a resolver. The error is a plain `Error` with
 * `extensions`. `graphql` copies `extensions` from any error, so this package need not import its
 * `GraphQLError`.
 *
 * @throws a GraphQL error if the request may not call the resolver.
 */
export async function admitResolver(
  context: ExecutionContext,
  access: HandlerAccess,
  connections: Connections,
): Promise<true> {
  const graphql = graphqlContextOf(context)
  const request = requestIn(graphql)
  const extra = request ? undefined : extraIn(graphql)
  const refusal = await orRefusal(decide(context, { graphql, request, extra }, access, connections))
  if (refusal) throw graphqlError(refusal)
  return true
}

interface Operation {
  readonly graphql: object
  readonly request: object | undefined
  readonly extra: Extra | undefined
}

async function decide(
  context: ExecutionContext,
  { graphql, request, extra }: Operation,
  access: HandlerAccess,
  connections: Connections,
): Promise<Refusal | undefined> {
  if (request) {
    if (access === 'public') return undefined
    return admit(context, visits.of<never>(request), access, request)
  }
  if (!extra) return access === 'public' ? undefined : notMounted(noRequest(context))
  // All resolvers of an operation share one look-up of the session. The next operation looks up the
  // session again.
  let opening = operations.get(graphql)
  if (!opening) {
    opening = { opened: connections.open(extra.request) }
    operations.set(graphql, opening)
  }
  const visit = await opening.opened
  opening.visit = visit
  const refusal =
    access === 'public'
      ? await forgedRefusal(visit, extra.request)
      : await admit(context, visit, access, extra.request)
  if (!refusal) connections.watch(extra.socket, extra.request, visit)
  return refusal ?? connections.endedRefusal(extra.socket)
}

async function admit(
  context: ExecutionContext,
  visit: AnyVisit,
  requirements: Exclude<HandlerAccess, 'public'>,
  request: object,
): Promise<Refusal | undefined> {
  const info = infoOf(context)
  return firstRefusal(requirements, async (requirement) => {
    const decision = await visit.decide(requirement, request)
    if (decision.refusal) return decision.refusal
    if (info) admissions.set(info, decision)
    return undefined
  })
}

/**
 * Reads the user whom the guard of a resolver has let in, or the data of its operation.
 *
 * @throws a GraphQL error in place of an error of the kit.
 */
export function readResolver(
  context: ExecutionContext,
  read: (visit: AnyVisit, admission?: Admission<never, unknown>) => unknown,
): unknown {
  const graphql = graphqlContextOf(context)
  const request = requestIn(graphql)
  const visit = request ? visits.find<never>(request) : operations.get(graphql)?.visit
  if (!visit) throw graphqlError(notMounted(noRequest(context)))
  const admission = admissions.get(infoOf(context) ?? NO_CONTEXT)
  try {
    return read(visit, admission)
  } catch (error) {
    throw toGraphqlError(error)
  }
}

/**
 * Converts a refusal into a GraphQL error, with the code of Apollo as `code` and that of the kit as
 * `latchkeyCode`.
 */
export function graphqlError(refusal: Refusal): Error {
  const { error, title } = refusal
  const code = CODES[error.status] ?? 'INTERNAL_SERVER_ERROR'
  const extensions = { code, latchkeyCode: error.code, ...told(refusal) }
  return Object.assign(new Error(title, { cause: error }), { extensions })
}

/** Converts an error of the kit into a GraphQL error. Returns any other error unchanged. */
export function toGraphqlError(error: unknown): unknown {
  return error instanceof LatchkeyError ? graphqlError(refusalFrom(error)) : error
}

const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  503: 'SERVICE_UNAVAILABLE',
}

const NO_CONTEXT = Object.freeze({})

/**
 * The GraphQL context of a resolver, which is its third argument. For a resolver of references,
 * which has no field arguments, the context is the second argument.
 */
function graphqlContextOf(context: ExecutionContext): object {
  const given: unknown[] = context.getArgs()
  const found = given.length === 3 ? given[1] : given[2]
  return typeof found === 'object' && found !== null ? found : NO_CONTEXT
}

/** The `info` of a resolver's call, which is the last argument. */
function infoOf(context: ExecutionContext): object | undefined {
  const info: unknown = context.getArgs().at(-1)
  return isObject(info) ? info : undefined
}

/**
 * The request in a GraphQL context. Nest's drivers store the request as `req`. `undefined` if the
 * context has no request that has passed the login.
 */
function requestIn(graphql: object): object | undefined {
  const { req, request, reply } = graphql as Members
  const places = [req, request, membersOf(reply).request]
  return places.find(
    (place): place is object => isObject(place) && visits.find(place) !== undefined,
  )
}

/**
 * The socket and request of `graphql-ws` in a GraphQL context. They are in `extra` of the context,
 * or of its `req`.
 */
function extraIn(graphql: object): Extra | undefined {
  const { req, extra } = graphql as Members
  const found = [extra, membersOf(req).extra].find(
    (place) => isObject(membersOf(place).request) && isObject(membersOf(place).socket),
  )
  return found as Extra | undefined
}

function membersOf(value: unknown): Members {
  return isObject(value) ? (value as Members) : NO_CONTEXT
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function noRequest(context: ExecutionContext): string {
  const resolver = `${context.getClass().name}.${context.getHandler().name}()`
  return `The GraphQL context of ${resolver} has no request that passed the login. Let the option "context" of GraphQLModule return { req }; subscriptions need the protocol "graphql-ws" of the Apollo driver.`
}

const scanner = new MetadataScanner()

/**
 * Refuses field resolvers that Nest would run without their guard. Nest skips the guards of fields,
 * unless the options of GraphQLModule enable them.
 *
 * @throws {@link ConfigError} with the name of each such resolver.
 */
export function checkFieldResolvers(modules: ModulesContainer): void {
  const all = [...modules.values()].flatMap(({ providers }) => [...providers])
  const settings = all.filter(([token]) => token === 'GqlModuleOptions')
  const isGuarded = settings.every(([, { instance }]) =>
    (membersOf(instance).fieldResolverEnhancers as unknown[] | undefined)?.includes('guards'),
  )
  if (settings.length === 0 || isGuarded) return
  const classes = new Set(all.map(([, { metatype }]) => metatype).filter(isClass))
  const names = [...classes].flatMap(unguardedFields)
  if (names.length > 0)
    throw new ConfigError(names.map((option) => ({ option, remedy: NO_GUARDS })))
}

const NO_GUARDS =
  "resolves a field, and Nest skips the guards of fields. Write fieldResolverEnhancers: ['guards'] into the options of GraphQLModule, or put @Public() on it."

function unguardedFields(type: FieldClass): string[] {
  const { prototype } = type
  return scanner
    .getAllMethodNames(prototype)
    .filter((name) => {
      const handler = (prototype as Members)[name] as object
      const isField = FIELDS.some((key) => Reflect.getMetadata(key, handler) === true)
      // `__resolveType` returns only the name of a union's type, and Nest never guards it.
      return isField && name !== '__resolveType' && !isPublic(handler, type)
    })
    .map((name) => `${type.name}.${name}()`)
}

type FieldClass = (new () => unknown) & { readonly prototype: object }

const FIELDS = ['graphql:resolve_property', 'graphql:resolve_reference']

function isClass(value: unknown): value is FieldClass {
  return typeof value === 'function' && isObject(value.prototype)
}
