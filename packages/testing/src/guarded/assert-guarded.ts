import { ConfigError } from '@latchkey/core'
import { checkOptions, type Rules, texts } from '@latchkey/core/options'
import { TestingError } from '../errors.ts'
import { covers, type Entry, type GuardReport, isUnder } from './entries.ts'
import { expressEntries } from './express.ts'
import { fastifyEntries } from './fastify.ts'
import { honoEntries } from './hono.ts'
import { koaEntries } from './koa.ts'

/** The routes that need no guard. */
export interface GuardedOptions {
  /**
   * The routes that need no guard, with the paths that the application gave them: `'/'` for every
   * method, `'GET /books/:id'` for one. A mounted application is `USE /path`.
   */
  readonly public?: readonly string[]
}

const RULES: Rules<GuardedOptions> = { public: texts }

/**
 * Fails unless `requireUser()` stands in front of every route of an application of Express 4, Express 5,
 * Fastify, Hono or Koa, but for those that `public` lists. The routes of the kit are known.
 *
 * It reads the router and sends no request. Of a function that sees every path, as `app.use(fn)` does, it
 * cannot see whether it answers: the report names them.
 *
 * @throws {@link TestingError} with `LATCHKEY_TEST_UNGUARDED` naming each route without a guard, and each
 *   entry of `public` that is no route, and when there is no route at all; with
 *   `LATCHKEY_TEST_APP_UNKNOWN` for another kind of application.
 */
export function assertGuarded(app: object, options: GuardedOptions = {}): GuardReport {
  const { faults } = checkOptions(options, RULES)
  if (faults.length > 0) throw new ConfigError(faults, 'assertGuarded() cannot begin:')
  const entries = expressEntries(app) ?? fastifyEntries(app) ?? honoEntries(app) ?? koaEntries(app)
  if (!entries) throw new TestingError('LATCHKEY_TEST_APP_UNKNOWN', UNKNOWN_APP)
  const listed = new Set(options.public)
  const report: GuardReport = { guarded: [], public: [], middleware: [] }
  const unguarded: string[] = []
  const found = new Set<string>()
  entries.forEach((entry, index) => {
    if (entry.kind === 'guard') return
    if (entry.kind === 'middleware' && passesOn(entry, entries.slice(index + 1))) {
      if (entry.path === '/') report.middleware.push(entry.name || 'anonymous')
      return
    }
    const label = labelOf(entry)
    found.add(label).add(entry.path)
    const isGuarded = entries
      .slice(0, index)
      .some((earlier) => earlier.kind === 'guard' && covers(earlier, entry))
    if (isGuarded) report.guarded.push(label)
    else if (listed.has(label) || listed.has(entry.path)) report.public.push(label)
    else unguarded.push(label)
  })
  if (found.size === 0) throw new TestingError('LATCHKEY_TEST_UNGUARDED', NO_ROUTE)
  const unknown = [...listed].filter((one) => !found.has(one))
  if (unguarded.length + unknown.length > 0) throw faultOf(unguarded, unknown)
  return report
}

/** A function under a path passes requests on when the application has more under that path. */
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
    ...unguarded.map((one) => `  - ${one} has no requireUser() in front of it.`),
    ...unknown.map(
      (one) => `  - ${JSON.stringify(one)} in "public" is no route of the application.`,
    ),
  ]
  return new TestingError('LATCHKEY_TEST_UNGUARDED', [UNGUARDED, ...lines].join('\n'))
}

const UNGUARDED =
  'Not every route is guarded. Put requireUser() in front of each, or list it in "public":'
const NO_ROUTE =
  'assertGuarded() sees no route in this application. Pass it when its routes have been added.'
const UNKNOWN_APP =
  'assertGuarded() reads the router of an application of Express 4, Express 5, Hono or Koa, and of Fastify with createAuth() registered. It cannot see the routes of this one.'
