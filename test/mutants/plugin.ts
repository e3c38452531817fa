import { readFileSync } from 'node:fs'
import type { Plugin } from 'vitest/config'

const defect = process.env.LATCHKEY_MUTANT ?? '[]'
const [file = '', find = '', replacement = ''] = JSON.parse(defect)
const isMutated = (id: string): boolean => file !== '' && id.endsWith(file)

/** Plants the defect of `run.ts` while Vitest loads a source; the file on the disk stays as it is. */
export const mutant: Plugin = {
  name: 'latchkey-mutant',
  enforce: 'pre',
  configureVitest({ defineCacheKeyGenerator }) {
    // Vitest keeps modules on the disk by their source, in which no defect is.
    defineCacheKeyGenerator(({ id }) => (isMutated(id) ? defect : undefined))
  },
  load(id) {
    if (!isMutated(id)) return undefined
    const source = readFileSync(id, 'utf8')
    // No test has failed then, so the runner does not take it for a defect that was noticed.
    if (source.split(find).length !== 2) throw new Error('The place of the defect was not found.')
    return source.replace(find, () => replacement)
  },
}
