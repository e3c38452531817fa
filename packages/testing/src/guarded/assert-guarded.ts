import { ConfigError } from '@latchkey/core'
import { checkOptions, type Rules, textRecord, texts } from '@latchkey/core/internal'
import { platformOf } from '../app.ts'
import { TestingError } from '../errors.ts'
import { covers, type Entry, type GuardReport, isUnder } from './entries.ts'
import { expressEntries } from './express.ts'
import { fastifyEntries } from './fastify.ts'
import { honoEntries } from './hono.ts'
import { koaEntries } from './koa.ts'
import { answersNowhere, takesAnything, tryGuard } from './try-guards.ts'
import { type RouteVisitor, visitRoutes } from './visit-routes.ts'

/** Options of `assertGuarded()`. */
export interface GuardedOptions {
  /**
   * The routes that need no guard, as the application declares them: `'/'` for every method, `'GET
   * /books/:id'` for one, `USE /path` for a mounted application.
   */
  readonly public?: readonly string[]
  /**
   * Example paths for guarded routes whose paths are patterns, by the name of the route in the
   * report: `{ 'GET /books/:isbn(\\d+)': '/books/978' }`.
   */
  readonly examples?: Readonly<Record<string, string>>
  /** Headers to send with every request, such as a `Host` that the application requires. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The functions that read a router, by framework. They return `undefined` for an application of
 * another framework.
 */
const ROUTERS: Readonly<Record<string, (app: unknown) => Entry[] | undefined>> = {
  'Express 4 and 5': expressEntries,
  'Fastify with createAuth() registered': fastifyEntries,
  Hono: honoEntries,
  Koa: koaEntries,
}

const RULES: Rules<GuardedOptions> = {
  public: texts,
  examples: textRecord,
  headers: textRecord,
}

/**
 * Fails if a route of an application has no working guard (`requireUser()`), except the routes in
 * `public` and those of the kit. It can read the routers of every framework with an adapter except
 * Next.js.
 *
 * Sends a request without a login to each guarded route: the response must be 401 or a redirect to
 * the login. Also requests a missing page below each path at which the application mounts
 * functions. If a guard does not work, its request runs the handler of the route.
 *
 * @throws {@link TestingError} with `LATCHKEY_TEST_UNGUARDED` naming each route without a guard,
 *   each whose guard did not refuse or could not be tried, and each entry of `public` and
 *   `examples` that is not a route; also if there is no route at all. With
 *   `LATCHKEY_TEST_APP_UNKNOWN` for another kind of application.
 */
export async function assertGuarded(
  app: object,
  options: GuardedOptions = {},
): Promise<GuardReport> {
  const { faults } = checkOptions(options, RULES)
  if (faults.length > 0) throw new ConfigError(faults, 'assertGuarded() cannot begin:')
  const platform = await platformOf(app)
  const entries = entriesOf(platform)
  if (!entries) throw new TestingError('LATCHKEY_TEST_APP_UNKNOWN', UNKNOWN_APP)
  const listed = new Set(options.public)
  const report: GuardReport = { guarded: [], public: [], middleware: [] }
  const unguarded: string[] = []
  const found = new Set<string>()
  await using visitor = await visitRoutes(app, options.headers ?? {})
  const passing: Entry[] = []
  for (const [index, entry] of entries.entries()) {
    if (entry.kind === 'guard') continue
    if (entry.kind === 'middleware' && passesOn(entry, entries.slice(index + 1))) {
      if (entry.path === '/') report.middleware.push(entry.name || 'anonymous')
      passing.push(entry)
      continue
    }
    const label = labelOf(entry)
    found.add(label).add(entry.path)
    const isGuarded = entries
      .slice(0, index)
      .some((earlier) => earlier.kind === 'guard' && covers(earlier, entry))
    const fault = isGuarded
      ? await tryGuard(visitor, entry, label, options.examples?.[label])
      : `${label} has no requireUser() in front of it.`
    if (!fault) report.guarded.push(label)
    else if (listed.has(label) || listed.has(entry.path)) report.public.push(label)
    else unguarded.push(fault)
  }
  if (found.size === 0) throw new TestingError('LATCHKEY_TEST_UNGUARDED', NO_ROUTE)
  const open = await openFolders(visitor, entries, passing)
  for (const path of open) {
    const label = `USE ${path}`
    found.add(label)
    if (listed.has(label)) report.public.push(label)
    else unguarded.push(`${label} answers a visitor who asks for a page that is no route.`)
  }
  const unknown = [...listed, ...Object.keys(options.examples ?? {})].filter(
    (one) => !found.has(one),
  )
  if (unguarded.length + unknown.length > 0) throw faultOf(unguarded, unknown)
  return report
}

function entriesOf(app: unknown): Entry[] | undefined {
  for (const read of Object.values(ROUTERS)) {
    const entries = read(app)
    if (entries) return entries
  }
  return undefined
}

/** The root and the paths of `passing`, as far as a missing page below them gets an answer. */
async function openFolders(
  visitor: RouteVisitor,
  entries: readonly Entry[],
  passing: readonly Entry[],
): Promise<string[]> {
  const open: string[] = []
  // The root is always tried, because a handler of missing pages is not recognized as a middleware.
  for (const path of new Set(['/', ...passing.map((entry) => entry.path)])) {
    if (entries.some((entry) => takesAnything(entry, path))) continue
    if (await answersNowhere(visitor, path)) open.push(path)
  }
  return open
}

/**
 * Whether a function at a path passes requests on: it is at the root, or the application has later
 * entries at or below the path.
 */
function passesOn({ path }: Entry, later: readonly Entry[]): boolean {
  if (path === '/') return true
  return later.some(
    (entry) => entry.kind !== 'guard' && (entry.path === path || isUnder(entry.path, path)),
  )
}

function labelOf({ kind, method, path }: Entry): string {
  return `${kind === 'handler' ? (method ?? 'ALL') : 'USE'} ${path}`
}

function faultOf(unguarded: readonly string[], unknown: readonly string[]): TestingError {
  const lines = [
    ...unguarded.map((one) => `  - ${one}`),
    ...unknown.map(
      (one) =>
        `  - ${JSON.stringify(one)} in "public" or "examples" is no route of the application.`,
    ),
  ]
  return new TestingError('LATCHKEY_TEST_UNGUARDED', [UNGUARDED, ...lines].join('\n'))
}

const UNGUARDED =
  'Not every route is guarded. Put requireUser() in front of each, or list it in "public":'
const NO_ROUTE =
  'assertGuarded() sees no route in this application. Pass it when its routes have been added.'
const UNKNOWN_APP = `assertGuarded() reads the router of an application of ${Object.keys(ROUTERS).join(', ')}, and of NestJS on the first two. It cannot see the routes of this one.`
