import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/packages.ts'
import { candidates, npmCandidates } from './interop/candidates.ts'
import { makeJourney } from './interop/journey.ts'
import { cellsOf, documentedRows } from './interop/table.ts'

const documented = documentedRows()

test.for(npmCandidates)(
  'what docs/providers/index.md says of $provider is true',
  async (candidate) => {
    const row = await makeJourney(candidate)

    expect(cellsOf(row)).toEqual(documented.get(candidate.provider))
  },
)

/** Runs the command on a machine without Debian's packages. */
function runWithout(env: Readonly<Record<string, string>>, ...words: string[]) {
  const script = join(root, 'test/interop/run.ts')
  return spawnSync(process.execPath, ['--conditions=latchkey-source', script, ...words], {
    encoding: 'utf8',
    env: { ...process.env, CI: '', PATH: '', ...env },
  })
}

test('a provider that is not installed is skipped on a developer machine, and fails continuous integration', () => {
  const here = runWithout({}, 'Doorkeeper')
  expect(here.stdout).toContain('not installed: `apt-get install ruby-doorkeeper')
  expect(here.status).toBe(0)

  const there = runWithout({ CI: 'true' }, 'Doorkeeper')
  expect(there.stderr).toContain('Doorkeeper: not installed: `apt-get install ruby-doorkeeper')
  expect(there.status).toBe(1)
})

test('continuous integration installs every Debian package that a provider needs, every night', () => {
  const { stdout } = runWithout({}, '--packages')

  expect(stdout.trim().split(/\s+/)).toEqual(
    candidates.flatMap(({ aptPackage }) => aptPackage?.split(' ') ?? []),
  )
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  expect(read('.ci/run')).toContain('test/interop/run.ts --packages')
  expect(read('.github/workflows/nightly.yml')).toContain('bash .ci/run nightly')
})
