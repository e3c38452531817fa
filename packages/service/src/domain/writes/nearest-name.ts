import { closestMatch } from 'leven'

/** The known name that an unknown one probably means, if there is one. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const lower = known.map((one) => one.toLowerCase())
  const maxDistance = Math.max(2, Math.floor(name.length / 3))
  const nearest = closestMatch(name.slice(0, 100).toLowerCase(), lower, { maxDistance })
  return known.find((one) => one.toLowerCase() === nearest)
}
