import { inspect } from 'node:util'
import { candidates } from './candidates.ts'
import { makeJourney } from './journey.ts'
import { cellsOf, documentedRows, skipped, tableOf, writeRows } from './table.ts'

// Makes the journey with every provider, or with those whose name has one of the arguments in it, and
// prints the table. Fails where a row is not the one that docs/providers/index.md shows; `--write`
// puts the rows there instead. A provider that is not installed is skipped, and fails continuous integration; `--packages`
// prints the Debian packages to install.

if (process.argv.includes('--packages')) {
  console.log(candidates.flatMap(({ aptPackage }) => aptPackage ?? []).join(' '))
  process.exit()
}

const isWriting = process.argv.includes('--write')
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const chosen = candidates.filter(
  ({ provider }) => named.length === 0 || named.some((name) => provider.includes(name)),
)
const rows: string[][] = []
const failures: string[] = []

for (const candidate of chosen) {
  if (candidate.version() === undefined) {
    const row = skipped(candidate)
    rows.push(row)
    if (process.env.CI) failures.push(`${candidate.provider}: ${row.at(-1)}`)
    continue
  }
  try {
    rows.push(cellsOf(await makeJourney(candidate)))
  } catch (error) {
    failures.push((error as Error).message || inspect(error))
    rows.push([candidate.provider, candidate.version() ?? '', 'failed', '', '', '', ''])
  }
}

const made = rows.filter((row) => row[2] !== 'skipped' && row[2] !== 'failed')
if (isWriting) {
  writeRows(
    made,
    candidates.map(({ provider }) => provider),
  )
}
const documented = documentedRows()
for (const row of made) {
  if (row.join('|') === documented.get(row[0] ?? '')?.join('|')) continue
  failures.push(`${row[0]}: docs/providers/index.md shows another row; write it with --write.`)
}
console.log(tableOf(rows))
for (const failure of failures) console.error(failure)
// A provider that failed halfway may have left something open.
process.exit(failures.length > 0 ? 1 : 0)
