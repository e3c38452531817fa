import { oldestNode } from '../version.ts'

/** A sentence for a Node that is too old; `undefined` for every other. */
export function engineFault(found: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = found.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split('.').map(Number)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `latchkey-service needs Node.js ${oldestNode} or newer, and this is ${found}.`
}
