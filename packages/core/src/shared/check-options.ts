import { closestMatch } from 'leven'
import { isRecord } from './records.ts'

/** A fault in the options. */
export interface ConfigFault {
  /** The name of the option, such as `session.secret`. */
  readonly option: string
  /** The environment variable that gives a missing option its value. */
  readonly variable?: string
  /**
   * The fault and how to fix it: the rest of a sentence that begins with the name of the option.
   */
  readonly remedy: string
}

/** The rule for a value. */
export interface Rule {
  /** Completes the sentence "must be …". */
  readonly mustBe: string
  fits(value: unknown): boolean
  /** The rules of an object's members; every other name is a fault. */
  readonly members?: Readonly<Record<string, Rule>>
  /** The rule for every member of an object with free names. */
  readonly each?: Rule
  /**
   * Whether the report may show the text that was found. True if the rule allows only a few words.
   */
  readonly showsText?: boolean | undefined
}

/** A rule for every member of an options type. The compiler reports a missing rule. */
export type Rules<Options> = { readonly [Name in keyof Required<Options>]: Rule }

/** Makes a rule. */
export function rule(mustBe: string, fits: (value: unknown) => boolean): Rule {
  return { mustBe, fits }
}

/** The rule for a string. */
export const text: Rule = rule('a string', isText)
/** The rule for a boolean. */
export const flag: Rule = rule('true or false', (value) => typeof value === 'boolean')
/** The rule for a function. */
export const callable: Rule = rule('a function', (value) => typeof value === 'function')
/** The rule for an array of strings that are not empty. */
export const texts: Rule = rule('an array of strings', (value) => isListOf(value, isFilled))
/** The rule for an object whose members are strings. */
export const textRecord: Rule = rule(
  'an object whose values are strings',
  (value) => isRecord(value) && Object.values(value).every(isText),
)
/** The rule for a duration in whole seconds, at least 1. */
export const seconds: Rule = whole('seconds', 1)

/** Makes the rule for a whole number of a unit, `least` or more. */
export function whole(unit: string, least: number): Rule {
  return rule(
    `a whole number of ${unit}, ${least} or more`,
    (value) => Number.isSafeInteger(value) && (value as number) >= least,
  )
}

/** Makes the rule for one of a few words. */
export function oneOf(...words: readonly string[]): Rule {
  const quoted = words.map((word) => `"${word}"`)
  const last = quoted.pop()
  const mustBe = quoted.length > 0 ? `${quoted.join(', ')} or ${last}` : `${last}`
  return { mustBe, fits: (value) => words.includes(value as string), showsText: true }
}

/** Makes the rule for an object with these members and no others. */
export function group<Options>(members: Rules<Options>): Rule {
  return { mustBe: 'an object', fits: isRecord, members }
}

/** Makes a rule that accepts a value if one of the given rules accepts it. */
export function either(...rules: readonly Rule[]): Rule {
  const members = rules.find((one) => one.members)?.members
  return {
    mustBe: rules.map(({ mustBe }) => mustBe).join(' or '),
    fits: (value) => rules.some((one) => one.fits(value)),
    ...(members ? { members } : {}),
    ...(rules.some(({ showsText }) => showsText) ? { showsText: true } : {}),
  }
}

/** The result of a check. */
export interface Checked<Options> {
  readonly faults: ConfigFault[]
  /** The options without the faulty ones. */
  readonly good: Options
}

/** Settings of a check. */
export interface CheckSettings {
  /**
   * The equivalent of an option of another library: the name of our option, or a sentence. Members
   * are written with a dot: `session.rolling`.
   */
  readonly equivalents?: Readonly<Record<string, string>>
  /** The meaning of a member that is present with the value `undefined`. Default `not set`. */
  readonly undefinedMeans?: 'not set' | 'a fault'
  /** An example of the whole object, shown when the value is not an object. */
  readonly example?: string
}

/**
 * Checks the names and the types of an options object. An unknown name is reported with the nearest
 * known one.
 *
 * @param name - The name of the options, for the error if they are no object.
 * @param prefix - The start of the name of each member in a fault, such as `session.`.
 */
export function checkOptions<Options>(
  options: unknown,
  members: Readonly<Record<string, Rule>>,
  settings: CheckSettings = {},
  name = 'options',
  prefix = '',
): Checked<Options> {
  const faults: ConfigFault[] = []
  const good: Record<string, unknown> = {}
  if (!isRecord(options)) {
    const such = settings.example ? ` such as ${settings.example}` : ''
    const remedy = `must be an object${such}, not ${describe(options)}.`
    return { faults: [{ option: name, remedy }], good: good as Options }
  }
  // Includes inherited options, such as those of a class, or of defaults through `Object.create()`.
  for (const key in options) {
    const option = prefix + key
    const value = options[key]
    const known = Object.hasOwn(members, key) ? members[key] : undefined
    if (!known) faults.push({ option: shorten(option), remedy: unknown(option, members, settings) })
    else if (value === undefined && settings.undefinedMeans !== 'a fault') continue
    else if (!known.fits(value)) {
      const found = describe(value, known.showsText)
      faults.push({ option, remedy: `must be ${known.mustBe}, not ${found}.` })
    } else if ((known.members || known.each) && isRecord(value)) {
      const nested = checkOptions(value, membersOf(known, value), settings, option, `${option}.`)
      faults.push(...nested.faults)
      good[key] = nested.good
    } else good[key] = value
  }
  return { faults, good: good as Options }
}

function membersOf(
  { members = {}, each }: Rule,
  value: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Rule>> {
  return each ? Object.fromEntries(Object.keys(value).map((name) => [name, each])) : members
}

/** The report of faults, one per line. The same fault is listed once. */
export function reportOf(heading: string, faults: readonly ConfigFault[]): string {
  const lines = faults.map(
    ({ option, variable, remedy }) =>
      `  - "${option}"${variable ? ` (or ${variable})` : ''} ${remedy}`,
  )
  return [heading, ...new Set(lines)].join('\n')
}

function unknown(
  option: string,
  members: Readonly<Record<string, Rule>>,
  { equivalents = {} }: CheckSettings,
): string {
  const equivalent = Object.hasOwn(equivalents, option) ? equivalents[option] : undefined
  if (equivalent?.includes(' ')) return `is not an option. ${equivalent}`
  if (equivalent) return `is not an option. It is "${equivalent}" here.`
  const names = Object.keys(members)
  const prefix = option.slice(0, option.lastIndexOf('.') + 1)
  const nearest = nearestOf(option.slice(prefix.length), names)
  if (nearest) return `is not an option. Did you mean "${prefix}${nearest}"?`
  return names.length > 8
    ? 'is not an option.'
    : `is not an option. There ${names.length === 1 ? 'is' : 'are'} ${names.map((one) => `"${one}"`).join(', ')}.`
}

/** The name that is nearest to `name`; `undefined` if none is similar. */
export function nearestOf(name: string, names: readonly string[]): string | undefined {
  const lower = name.slice(0, 100).toLowerCase()
  const maxDistance = Math.max(2, Math.floor(lower.length / 3))
  const found = closestMatch(
    lower,
    names.map((one) => one.toLowerCase()),
    { maxDistance },
  )
  return names.find((one) => one.toLowerCase() === found)
}

/** Describes a value for a report. A text may be a secret, so it is shown only with `showsText`. */
function describe(value: unknown, showsText = false): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') {
    return String(value)
  }
  if (value === undefined) return 'undefined'
  if (value === '') return 'an empty string'
  if (typeof value === 'string') return showsText ? JSON.stringify(shorten(value)) : 'this string'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'this array'
  if (value instanceof Promise) return 'a promise, which has to be awaited first'
  if (typeof value === 'object') {
    return Object.keys(value).length === 0 ? 'an empty object' : 'this object'
  }
  return `a ${typeof value}`
}

function shorten(name: string): string {
  const printable = name.replace(/[^\x20-\x7e]/g, '?')
  return printable.length > 60 ? `${printable.slice(0, 60)}…` : printable
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isListOf(value: unknown, fits: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits)
}
