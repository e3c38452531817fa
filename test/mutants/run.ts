import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Outcome, run } from '../../scripts/run.ts'
import { limit } from '../support/limits.ts'
import { EDGES, type EdgeMutant, type Tests } from './edges.ts'
import { type Defect, MUTANTS, type Mutant } from './mutants.ts'

/**
 * Plants one defect after the other, and runs the tests that must notice it: the contract of adapters, or a file of Vitest.
 * Without a defect they must pass. Words pick the defects
 * whose name, or the path of whose tests, has each of them.
 */
const cwd = fileURLToPath(new URL('../..', import.meta.url))
const words = process.argv.slice(2)
const isChosen = (text: string): boolean => words.every((word) => text.includes(word))
const contract = MUTANTS.filter(({ name, adapter }) => isChosen(`${name} ${adapter}`))
const edges = EDGES.filter(({ name, by }) => isChosen(`${name} ${by.file}`))
const folder = mkdtempSync(join(tmpdir(), 'latchkey-mutants-'))

/**
 * How long a test may take, as some defects let it wait for ever: many times what the slowest test of its file takes without a
 * defect, which is measured here and now, and these milliseconds at least.
 */
const TIMES = 20
const LEAST = 10_000
/** The first test of the contract that fails, in TAP. */
const NOTICED = /^ {8}not ok \d+ - (.*)\n/m
const CONTRACT = 'test/mutants/contract.ts'
/** The milliseconds that the slowest test of a file takes, by the path of the file. */
const slowest = new Map<string, number>()

const none = { name: 'no defect', file: '', find: '', replacement: '' } as const
const wrong: string[] = []
if (contract.length > 0) await tryContract({ ...none, adapter: 'express' }, false)
if (edges.length > 0) await passWithoutDefect(edges)
for (const mutant of contract) await tryContract(mutant, true)
for (const mutant of edges) await tryTests(mutant)
rmSync(folder, { recursive: true })

const mutants = contract.length + edges.length
const survivors = wrong.filter((name) => name !== none.name)
console.log(`${mutants - survivors.length} of ${mutants} mutants were noticed`)
for (const name of survivors) console.log(`survived: ${name}`)
if (wrong.length > 0) process.exitCode = 1

/** Runs the contract with a defect planted. */
async function tryContract(mutant: Mutant, isNoticed: boolean): Promise<void> {
  const { name, adapter } = mutant
  const args = [
    ...['--conditions=latchkey-source', '--import', './test/mutants/plant.ts'],
    // A failed test may leave a server open.
    ...['--test-reporter=tap', '--test-force-exit', `--test-timeout=${limitOf(CONTRACT)}`],
    ...[CONTRACT, adapter],
  ]
  const { code, output } = await run(process.execPath, args, {
    cwd,
    env: withDefect(mutant),
    limitSeconds: 300,
    ...(isNoticed && { until: NOTICED }),
  })
  if (!isNoticed) {
    const durations = [...output.matchAll(/duration_ms: ([\d.]+)\s+type: 'test'/g)]
    slowest.set(CONTRACT, Math.max(0, ...durations.map(([, took]) => Number(took))))
  }
  const noticed = NOTICED.exec(output)?.[1]
  const what = code === 42 ? 'its place was not found' : (noticed ?? `ended with ${code}`)
  report(name, adapter, isNoticed ? noticed !== undefined : code === 0, what)
}

/** The milliseconds that a test of a file may take; before the file was measured, as long as the whole file. */
function limitOf(file: string): number {
  const measured = slowest.get(file)
  return measured === undefined ? limit(300) : Math.round(Math.max(LEAST, TIMES * measured))
}

/** Runs the tests of a mutant up to the first that notices it. */
async function tryTests(mutant: EdgeMutant): Promise<void> {
  const { file, names } = mutant.by
  const args = [
    ...['--bail=1', `--testTimeout=${limitOf(file)}`, file],
    ...(names === undefined ? [] : ['-t', names]),
  ]
  const { outcome, results } = await vitest(args, { ...withDefect(mutant), LATCHKEY_LANE: '' })
  const [failed] = namesOfFailed(results)
  report(mutant.name, file, failed !== undefined, failed ?? lastLineOf(outcome))
}

/** Runs all tests that notice a defect, without one: those of a failing test would say nothing. */
async function passWithoutDefect(chosen: readonly EdgeMutant[]): Promise<void> {
  const tests = new Set(chosen.map(({ by }) => by))
  const [whole, parts] = [[...tests].filter(isWhole), [...tests].filter((one) => !isWhole(one))]
  const filesOf = (some: readonly Tests[]): string[] => [...new Set(some.map(({ file }) => file))]
  const patterns = parts.map(({ names }) => names).join('|')
  const runs = [filesOf(whole), [...filesOf(parts), '-t', patterns]]
  for (const args of runs.filter(([first]) => first !== '-t' && first !== undefined)) {
    const { outcome, results } = await vitest(args, { ...process.env, LATCHKEY_LANE: '' })
    const [failed] = namesOfFailed(results)
    report(none.name, `${args.length} files`, outcome.code === 0, failed ?? lastLineOf(outcome))
    for (const { name, assertionResults } of results) {
      const durations = assertionResults.map(({ duration = 0 }) => duration)
      slowest.set(relative(cwd, name), Math.max(0, ...durations))
    }
  }
}

function isWhole({ names }: Tests): boolean {
  return names === undefined
}

interface TestRun {
  readonly outcome: Outcome
  /** Without any when the run has ended before its report. */
  readonly results: readonly FileResult[]
}

async function vitest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<TestRun> {
  const file = join(folder, 'results.json')
  rmSync(file, { force: true })
  const reported = ['--reporter=json', `--outputFile=${file}`]
  const all = ['node_modules/vitest/vitest.mjs', 'run', ...reported, ...args]
  const outcome = await run(process.execPath, all, { cwd, env, limitSeconds: 300 })
  return { outcome, results: resultsIn(file) }
}

/** What Vitest reports of a file, whose path is its `name`. */
interface FileResult {
  readonly name: string
  readonly assertionResults: readonly TestResult[]
}

interface TestResult {
  readonly status: string
  readonly fullName: string
  /** In milliseconds. */
  readonly duration?: number
  readonly failureMessages?: readonly string[]
}

function resultsIn(file: string): readonly FileResult[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults
  } catch {
    return []
  }
}

function namesOfFailed(results: readonly FileResult[]): string[] {
  return results
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages: [why = ''] = [] }) =>
      why.includes('timed out') ? `${fullName} (it hung)` : fullName,
    )
}

function withDefect({ file, find, replacement }: Defect): NodeJS.ProcessEnv {
  return { ...process.env, LATCHKEY_MUTANT: JSON.stringify([file, find, replacement]) }
}

function lastLineOf({ code, output }: Outcome): string {
  return code === 0
    ? 'every test passed'
    : `ended with ${code}: ${output.trim().split('\n').at(-1)}`
}

function report(name: string, where: string, isRight: boolean, what: string): void {
  if (!isRight) wrong.push(name)
  console.log(`${isRight ? 'ok    ' : 'FAILED'}  ${where.padEnd(8)} ${name}: ${what}`)
}
