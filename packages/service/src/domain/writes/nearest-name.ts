import { closestMatch } from 'leven'

/** The known name that is most similar to an unknown one; `undefined` if none is similar enough. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const lower = known.map((one) => one.toLowerCase())
  const maxDistance = Math.max(2, Math.floor(name.length / 3))
  const nearest = closestMatch(name.slice(0, 100).toLowerCase(), lower, { maxDistance })
  return known.find((one) => one.toLowerCase() === nearest)
}
