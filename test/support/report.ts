import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** How many of the slowest tests a run names. */
const SLOWEST = 10

/** A run of fewer files prints its result alone. */
const MANY_FILES = 20

/** Names the slowest tests at the end of a run of many files, and at the end of every run the tests that passed at a second try. */
export class Report implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    if (modules.length >= MANY_FILES) {
      const slowest = tests.toSorted((a, b) => millis(b) - millis(a)).slice(0, SLOWEST)
      print('The slowest tests', slowest, (test) => `${(millis(test) / 1_000).toFixed(1)} s`)
    }
    const again = tests.filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0)
    print('Tried again', again, (test) => `${test.diagnostic()?.retryCount} times`)
  }
}

function millis(test: TestCase): number {
  return test.diagnostic()?.duration ?? 0
}

function print(
  title: string,
  tests: readonly TestCase[],
  figureOf: (test: TestCase) => string,
): void {
  if (tests.length === 0) return
  const lines = tests.map((test) => {
    const file = relative(process.cwd(), test.module.moduleId)
    return `  ${figureOf(test).padStart(8)}  ${file} > ${test.fullName}`
  })
  console.log(`\n${title}:\n${lines.join('\n')}`)
}
