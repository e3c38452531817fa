import type { AdapterUnderTest } from './adapter/application.ts'
import { bearers } from './adapter/bearers.ts'
import { type Case, createBench, type OpenBench } from './adapter/bench.ts'
import { bodies } from './adapter/bodies.ts'
import { caching } from './adapter/caching.ts'
import { data } from './adapter/data.ts'
import { errors } from './adapter/errors.ts'
import { guards } from './adapter/guards.ts'
import { hosts } from './adapter/hosts.ts'
import { instances } from './adapter/instances.ts'
import { logouts } from './adapter/logouts.ts'
import { outages } from './adapter/outages.ts'
import { questions } from './adapter/questions.ts'
import { recordings } from './adapter/recordings.ts'
import { refreshes } from './adapter/refreshes.ts'
import { rehearsals } from './adapter/rehearsals.ts'
import { routes } from './adapter/routes.ts'
import { sessions } from './adapter/sessions.ts'
import { streams } from './adapter/streams.ts'
import { type GroupResult, tableOf } from './adapter/table.ts'
import { targets } from './adapter/targets.ts'
import { writes } from './adapter/writes.ts'

export type {
  AdapterUnderTest,
  TestAnswer,
  TestApplication,
  TestData,
  TestRequest,
  TestRoute,
} from './adapter/application.ts'

/** What is used of a test runner: Vitest, Jest and node:test have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown
  /** node:test sets no limit of its own, and ignores this one. */
  it(name: string, body: () => Promise<void>, timeoutMilliseconds: number): unknown
  /** Of Vitest and Jest. */
  afterAll?(body: () => Promise<void>): unknown
  /** Of node:test. */
  after?(body: () => Promise<void>): unknown
}

/** Two hundred users at a time take longer than the 5 s that Vitest and Jest allow, on a busy machine. */
const TIMEOUT_MILLISECONDS = 60_000

const GROUPS: Readonly<Record<string, readonly Case[]>> = {
  routes,
  guards,
  questions,
  rehearsals,
  'writes of other sites': writes,
  'bearer tokens': bearers,
  sessions,
  'private answers': caching,
  bodies,
  'targets and methods': targets,
  errors,
  logouts,
  refreshes,
  'application data': data,
  streams,
  'hosts and proxies': hosts,
  outages,
  instances,
  'flight recorder': recordings,
}

/**
 * Declares the contract of an adapter as tests, and prints a table of what passed at the end.
 *
 * @param runner - What declares tests. Default the globals of Jest, or of Vitest with `globals: true`;
 *   otherwise pass what the runner's module exports: `import * as runner from 'node:test'`.
 */
export function describeAdapter(
  adapter: AdapterUnderTest,
  runner: TestRunner = globalThis as unknown as TestRunner,
): void {
  const { describe, it } = runner
  const after = runner.afterAll ?? runner.after
  if (!describe || !it || !after) {
    throw new TypeError(
      'describeAdapter() found no test runner in the globals: pass one, as in ' +
        'describeAdapter(adapter, { describe, it, afterAll }).',
    )
  }
  let bench: Promise<OpenBench> | undefined
  const results: GroupResult[] = []

  describe(`The adapter contract under ${adapter.name}`, () => {
    for (const [group, cases] of Object.entries(GROUPS)) {
      const result: GroupResult = { group, cases: cases.length, passed: 0 }
      results.push(result)
      describe(group, () => {
        for (const [name, run] of cases) {
          const body = async (): Promise<void> => {
            bench ??= createBench(adapter)
            const opened = await bench
            try {
              await run(opened)
              result.passed++
            } finally {
              await opened.clear()
            }
          }
          it(name, body, TIMEOUT_MILLISECONDS)
        }
      })
    }
    after(async () => {
      await (await bench)?.close()
      process.stdout.write(`${tableOf(adapter.name, results)}\n`)
    })
  })
}
