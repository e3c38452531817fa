import { fileURLToPath } from 'node:url'
import { run } from '../../scripts/run.ts'
import { MUTANTS, type Mutant } from './mutants.ts'

// Plants one defect after the other in an adapter or in the core, and runs the contract: it must notice.
const cwd = fileURLToPath(new URL('../..', import.meta.url))
const words = process.argv.slice(2)
const chosen = MUTANTS.filter(({ name }) => words.every((word) => name.includes(word)))

const none = { name: 'no defect', adapter: 'express', file: '', find: '', replacement: '' } as const
const verdicts: boolean[] = [await report(none, 0)]
for (const mutant of chosen) verdicts.push(await report(mutant, 1))
console.log(`${verdicts.filter(Boolean).length} of ${verdicts.length} as they should be`)
if (!verdicts.every(Boolean)) process.exitCode = 1

/** Runs the contract with a defect planted; whether it ends as expected. */
async function report(mutant: Mutant, expected: number): Promise<boolean> {
  const { name, adapter, file, find, replacement } = mutant
  const args = [
    ...['--conditions=latchkey-source', '--import', './test/mutants/plant.ts'],
    ...['--test-reporter=tap', 'test/mutants/contract.ts', adapter],
  ]
  const env = { ...process.env, LATCHKEY_MUTANT: JSON.stringify([file, find, replacement]) }
  const { code, output } = await run(process.execPath, args, { cwd, env, limitSeconds: 60 })
  const noticed = [...output.matchAll(/^ {8}not ok \d+ - (.*)$/gm)].map(([, sentence]) => sentence)
  const isRight = code === expected
  const what = code === 42 ? 'its place was not found' : (noticed[0] ?? `ended with ${code}`)
  console.log(`${isRight ? 'ok    ' : 'FAILED'}  ${adapter.padEnd(8)} ${name}: ${what}`)
  return isRight
}
