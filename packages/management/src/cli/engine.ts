import { readFileSync } from 'node:fs'

const manifest = new URL('../../package.json', import.meta.url)
const { version: installed, engines } = JSON.parse(readFileSync(manifest, 'utf8'))

/** The version of this package. */
export const version: string = installed

/** The oldest Node that runs it, such as `22.19`. */
const OLDEST: string = engines.node.replace('>=', '')

/** A sentence for a Node that is too old; `undefined` for every other. */
export function engineFault(found: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = found.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split('.').map(Number)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `latchkey needs Node.js ${OLDEST} or newer, and this is ${found}.`
}
