import { bearers } from './adapter/access/bearers.ts'
import { guards } from './adapter/access/guards.ts'
import { keptForms } from './adapter/access/kept-forms.ts'
import { proofs } from './adapter/access/proofs.ts'
import { questions } from './adapter/access/questions.ts'
import { rehearsals } from './adapter/access/rehearsals.ts'
import { resources } from './adapter/access/resources.ts'
import { writes } from './adapter/access/writes.ts'
import type { AdapterUnderTest } from './adapter/application.ts'
import { type Case, createBench, type OpenBench } from './adapter/bench.ts'
import { personas } from './adapter/development/personas.ts'
import { recordings } from './adapter/development/recordings.ts'
import { deadlines } from './adapter/failures/deadlines.ts'
import { errors } from './adapter/failures/errors.ts'
import { failingStores } from './adapter/failures/failing-stores.ts'
import { loops } from './adapter/failures/loops.ts'
import { outages } from './adapter/failures/outages.ts'
import { logouts } from './adapter/logouts.ts'
import { baseUrls } from './adapter/requests/base-urls.ts'
import { bodies } from './adapter/requests/bodies.ts'
import { hosts } from './adapter/requests/hosts.ts'
import { middleware } from './adapter/requests/middleware.ts'
import { streams } from './adapter/requests/streams.ts'
import { targets } from './adapter/requests/targets.ts'
import { routes } from './adapter/routes.ts'
import { adoptions } from './adapter/sessions/adoptions.ts'
import { caching } from './adapter/sessions/caching.ts'
import { data } from './adapter/sessions/data.ts'
import { instances } from './adapter/sessions/instances.ts'
import { refreshes } from './adapter/sessions/refreshes.ts'
import { sessions } from './adapter/sessions/sessions.ts'
import { webhooks } from './adapter/webhooks.ts'
import { declareSuite, type TestRunner } from './suite.ts'

export type {
  AdapterUnderTest,
  TestAnswer,
  TestApplication,
  TestData,
  TestRequest,
  TestRoute,
  TestWebhook,
} from './adapter/application.ts'

export type { TestRunner } from './suite.ts'

const GROUPS: Readonly<Record<string, readonly Case[]>> = {
  routes,
  guards,
  questions,
  rehearsals,
  'writes of other sites': writes,
  'forms kept through a login': keptForms,
  'bearer tokens': bearers,
  'proofs of possession': proofs,
  'resources of programs': resources,
  sessions,
  'adopted sessions': adoptions,
  'private answers': caching,
  bodies,
  'targets and methods': targets,
  errors,
  'middleware in front': middleware,
  logouts,
  refreshes,
  'application data': data,
  streams,
  'hosts and proxies': hosts,
  'several base URLs': baseUrls,
  outages,
  'stores that fail': failingStores,
  deadlines,
  instances,
  'logins in a circle': loops,
  'flight recorder': recordings,
  personas,
  webhooks,
}

/**
 * Declares tests of everything that an adapter must do. Prints a table of the results at the end.
 *
 * @param runner - The functions that declare tests. Default: the globals of Jest, or of Vitest with
 *   `globals: true`. Otherwise pass the module of the runner: `import * as runner from
 *   'node:test'`.
 */
export function describeAdapter(
  adapter: AdapterUnderTest,
  runner: TestRunner = globalThis as unknown as TestRunner,
): void {
  const title = `The adapter contract under ${adapter.name}`
  const openBench = (): Promise<OpenBench> => createBench(adapter)
  const { sessions, without = {} } = adapter
  const known = new Set(
    Object.entries(GROUPS).flatMap(([name, cases]) => [name, ...cases.map(([one]) => one)]),
  )
  const unknown = Object.keys(without).filter((name) => !known.has(name))
  if (unknown.length > 0)
    throw new TypeError(`"without" names no case or group: ${unknown.join(', ')}`)
  const leftOut = ([name, , needsStore]: Case, group: string): string | undefined => {
    if (group === 'webhooks' && !adapter.webhooks) return 'the adapter says that it receives none'
    return without[name] ?? without[group] ?? (sessions === 'cookie' ? needsStore : undefined)
  }
  declareSuite({ caller: 'describeAdapter()', title, groups: GROUPS, leftOut, openBench }, runner)
}
