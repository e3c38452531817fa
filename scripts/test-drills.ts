import { styleText } from 'node:util'
import { alone, apart, type Run, sharing } from '../packages/service/test/cluster/all-drills.ts'
import { type Field, startField } from '../packages/service/test/cluster/field.ts'

/**
 * Breaks a cluster amid load, for longer and more often than the tests do: `npx pnpm test:drills`. Words pick the drills
 * that have one of them in their name; `--list` only names them. KILLS is how many processes are killed, SECONDS how
 * long PostgreSQL, Redis and a stopped process are gone.
 */
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const isChosen = (name: string) => words.length === 0 || words.some((word) => name.includes(word))
const chosen = <T>(drills: Record<string, T>) =>
  Object.entries(drills).filter(([name]) => isChosen(name))

const begun = performance.now()
const names = Object.keys({ ...sharing, ...apart, ...alone })
if (process.argv.includes('--list')) {
  for (const name of names) console.log(name)
} else if (!names.some(isChosen)) {
  console.error(`No drill has ${words.join(' or ')} in its name. There are:`)
  for (const name of names) console.error(`  ${name}`)
  process.exitCode = 2
} else {
  await runSharing(chosen(sharing))
  for (const [name, run] of chosen(apart)) {
    await report(name, async () => {
      await using field = await startField()
      return await run(field)
    })
  }
  for (const [name, run] of chosen(alone)) await report(name, run)
  console.log(`${secondsSince(begun).toFixed(0)} s in all`)
}

/** A cluster that a drill has failed on is not used again. */
async function runSharing(drills: [string, Run][]): Promise<void> {
  let field: Field | undefined
  for (const [name, run] of drills) {
    const isDone = await report(name, async () => {
      field ??= await startField()
      return await run(field)
    })
    if (isDone) continue
    await field?.[Symbol.asyncDispose]()
    field = undefined
  }
  await field?.[Symbol.asyncDispose]()
}

async function report(name: string, run: () => Promise<string>): Promise<boolean> {
  const begun = performance.now()
  try {
    const found = await run()
    const took = secondsSince(begun).toFixed(0)
    console.log(`${styleText('green', 'ok')}  ${name}, ${took} s: ${found}`)
    return true
  } catch (error) {
    console.log(`${styleText('red', 'FAILED')}  ${name}:\n${(error as Error).message}`)
    process.exitCode = 1
    return false
  }
}

function secondsSince(begun: number): number {
  return (performance.now() - begun) / 1_000
}
