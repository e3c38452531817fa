import { InvalidArgumentError } from 'commander'
import { closestMatch } from 'leven'

/** Creates a parser for an argument that is a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    }
    return value
  }
}

/**
 * Creates a parser for an argument that is one of the given names. For any other name, the error
 * suggests the most similar name.
 */
export function oneOf<Name extends string>(names: readonly Name[]): (text: string) => Name {
  return (text) => {
    const found = names.find((name) => name === text)
    if (found !== undefined) return found
    const nearest = closestMatch(text.slice(0, 100).toLowerCase(), names, { maxDistance: 3 })
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`
    throw new InvalidArgumentError(`It must be ${listed(names)}.${hint}`)
  }
}

function listed(names: readonly string[]): string {
  return names.join(', ').replace(/, (?=[^,]*$)/, ' or ')
}
