import { readFileSync } from 'node:fs'

/** The report of one run, as Vitest's JSON reporter writes it. */
type TestReport = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { status: string; assertionResults: unknown[] }[]
}

// Prints the counts of one test run on one plain line. A file that fails before its first test
// counts as one failure: Vitest's own number of failed tests would not show it.
const [file] = process.argv.slice(2)
if (!file) throw new Error('Name the JSON report: node scripts/count-tests.ts report.json')

const report = JSON.parse(readFileSync(file, 'utf8')) as TestReport
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
)
const failed = report.numFailedTests + brokenFiles.length
const skipped = report.numPendingTests + report.numTodoTests
console.log(`${report.numPassedTests} passed, ${failed} failed, ${skipped} skipped`)
