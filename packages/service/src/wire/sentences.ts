import type { z } from 'zod'

type Issue = z.core.$ZodIssue

const MAX_SENTENCES = 3

/**
 * Describes the first {@link MAX_SENTENCES} faults of a body in sentences for its sender. The
 * sentences do not repeat text values of the body, which may be passwords.
 */
export function sentencesOf(issues: readonly Issue[], body: unknown): string {
  return issues
    .slice(0, MAX_SENTENCES)
    .map((issue) => sentenceOf(issue, valueAt(body, issue.path)))
    .join(' ')
}

function sentenceOf(issue: Issue, value: unknown): string {
  const name = issue.path.length === 0 ? 'The body' : `"${pathOf(issue.path)}"`
  if (value === undefined) return `${name} is missing.`
  switch (issue.code) {
    case 'invalid_type':
      if (typeof value === 'number') return numberSentence(name, value, issue.expected)
      return `${name} must be ${expectations[issue.expected] ?? issue.expected}, not ${kindOf(value)}.`
    case 'too_small':
      return `${name} is ${kindOrNumber(value)}; it must be at least ${issue.minimum}.`
    case 'too_big':
      if (typeof value === 'string') {
        return `${name} has ${value.length} characters; it may have ${issue.maximum} at most.`
      }
      return `${name} is ${kindOrNumber(value)}; it must be at most ${issue.maximum}.`
    case 'invalid_value':
      // Some schemas have a sentence of their own as the message.
      if (!issue.message.startsWith('Invalid')) return issue.message
      return `${name} must be ${issue.values.map((one) => JSON.stringify(one)).join(' or ')}.`
    case 'unrecognized_keys':
      return `${name} has members that are not known: ${issue.keys.map((key) => `"${key}"`).join(', ')}.`
    default:
      return `${name} is not valid.`
  }
}

const expectations: Record<string, string> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

function numberSentence(name: string, value: number, expected: string): string {
  if (expected === 'int') return `${name} is ${value}; it must be a whole number.`
  return `${name} must be ${expectations[expected] ?? expected}, not a number.`
}

function kindOrNumber(value: unknown): string {
  return typeof value === 'number' ? String(value) : kindOf(value)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (value as Record<PropertyKey, unknown> | undefined)?.[part],
    body,
  )
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1)
}
