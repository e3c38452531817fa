import { type GroupResult, tableOf } from './table.ts'

/** The functions of a test runner that the tests use. Vitest, Jest and node:test have them. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown
  /** Declares a test. The time limit in milliseconds is ignored by node:test, which has none. */
  it(name: string, body: () => Promise<void>, timeoutMilliseconds: number): unknown
  /** The hook of Vitest and Jest. */
  afterAll?(body: () => Promise<void>): unknown
  /** The hook of node:test. */
  after?(body: () => Promise<void>): unknown
}

/** A case: the title, which states a property of the subject, and the test of this property. */
export type SuiteCase<Bench> = readonly [
  name: string,
  run: (bench: Bench) => Promise<void>,
  /**
   * A feature that not every subject has. The case is skipped for a subject without this feature.
   */
  needs?: string,
]

/** A case that could not be tried. It has neither passed nor failed. */
export class NotTriedError extends Error {
  override readonly name = 'NotTriedError'
}

/** The parts that all cases of a suite share. */
interface SuiteBench {
  /** Closes everything that a case has opened. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** A suite of cases. */
export interface Suite<Bench extends SuiteBench> {
  /** The name of the function that declares the suite. */
  readonly caller: string
  /** The heading of the suite and of its table. */
  readonly title: string
  readonly groups: Readonly<Record<string, readonly SuiteCase<Bench>[]>>
  /** The reason to skip a case; `undefined` if the case runs. Default: all cases run. */
  leftOut?(one: SuiteCase<Bench>, group: string): string | undefined
  /** Called once, by the first case that runs. */
  openBench(): Promise<Bench>
}

/**
 * The time limit of a case, which only ends a case that hangs. Two hundred users at a time take a
 * minute on a busy machine.
 */
const TIMEOUT_MILLISECONDS = 240_000

/** Declares a suite as tests, and prints a table of the results at the end. */
export function declareSuite<Bench extends SuiteBench>(
  { caller, title, groups, leftOut = () => undefined, openBench }: Suite<Bench>,
  runner: TestRunner,
): void {
  const { describe, it } = runner
  const after = runner.afterAll ?? runner.after
  if (!describe || !it || !after) {
    throw new TypeError(
      `${caller} found no test runner in the globals: pass one as the last argument, as in ` +
        '{ describe, it, afterAll }.',
    )
  }
  let bench: Promise<Bench> | undefined
  const results: GroupResult[] = []

  describe(title, () => {
    for (const [group, all] of Object.entries(groups)) {
      const cases = all.filter((one) => leftOut(one, group) === undefined)
      const without = all.flatMap((one) => {
        const reason = leftOut(one, group)
        return reason === undefined ? [] : [{ name: one[0], reason }]
      })
      const result: GroupResult = {
        group,
        cases: cases.length,
        passed: 0,
        leftOut: without,
        notTried: [],
      }
      results.push(result)
      if (cases.length === 0) continue
      describe(group, () => {
        for (const [name, run] of cases) {
          const body = async (): Promise<void> => {
            bench ??= openBench()
            const opened = await bench
            try {
              await run(opened)
              result.passed++
            } catch (error) {
              if (!(error instanceof NotTriedError)) throw error
              result.notTried.push(`${name} (${error.message})`)
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
      process.stdout.write(`${tableOf(title, results)}\n`)
    })
  })
}
