import { expect, test } from 'vitest'
import { npmCandidates } from './interop/candidates.ts'
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
