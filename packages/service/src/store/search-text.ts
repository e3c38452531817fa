import type { User } from './records.ts'

/** The number of UTF-16 units at the beginning of an address or name that a search finds. */
const MAX_NAME = 254

/** Letters that Unicode does not decompose, with the letters that people type instead. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
}

const MARKS = /\p{Mn}/gu
const EVERY_PLAIN = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu')
const GAPS = /[\s\0]+/gu

/** Matches three letters or digits in a row. A trigram index finds nothing shorter. */
const FINDABLE = /[\p{L}\p{N}]{3}/u

/**
 * The share of sampled texts from which on a trigram is too common. Looking up such a trigram costs
 * much and excludes few users.
 */
const COMMON = 0.5

/**
 * Converts a text to the form in which it is searched: lower case, without accents, with single
 * spaces.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(EVERY_PLAIN, (letter) => PLAIN[letter] ?? letter)
    .replace(GAPS, ' ')
    .trim()
}

/**
 * The search texts of a user: `search_text` for searches by any part, `domain_key` for searches by
 * domain.
 */
export function searchTexts({ emailKey, profile }: Pick<User, 'emailKey' | 'profile'>): {
  search_text: string
  domain_key: string
} {
  const { name = '', given_name = '', family_name = '' } = profile
  const texts: string[] = []
  for (const text of [emailKey, name, `${given_name} ${family_name}`]) {
    const folded = foldText(text.slice(0, MAX_NAME))
    if (folded !== '' && !texts.some((one) => one.includes(folded))) texts.push(folded)
  }
  return {
    // The line break keeps a search from matching across two texts, as no search contains one.
    search_text: texts.join('\n'),
    domain_key: domainKey(emailKey),
  }
}

/** The domain of an address, in the form in which addresses are compared. */
export function domainKey(emailKey: string): string {
  return emailKey.slice(emailKey.lastIndexOf('@') + 1)
}

/** The form of a search for parts of texts; `undefined` if a trigram index cannot find the text. */
export function findableText(search: string): string | undefined {
  const text = foldText(search)
  return FINDABLE.test(text) ? text : undefined
}

/**
 * The maximum number of trigrams of a search that are looked up in the index. Further trigrams
 * would hardly reduce the result.
 */
const MAX_TRIGRAMS = 4

/**
 * The trigrams of a text that are rarest in a sample of texts, at most {@link MAX_TRIGRAMS}. Leaves
 * out common trigrams, but never the rarest trigram.
 */
export function rareTrigrams(text: string, sample: readonly string[]): string[] {
  const letters = [...text]
  const all = new Set(letters.slice(2).map((_, at) => letters.slice(at, at + 3).join('')))
  const isFound = (trigram: string) => FINDABLE.test(trigram)
  const countOf = (trigram: string) => sample.filter((one) => one.includes(trigram)).length
  return [...all]
    .filter(isFound)
    .map((trigram) => ({ trigram, count: countOf(trigram) }))
    .sort((a, b) => a.count - b.count)
    .filter(({ count }, at) => at === 0 || count < COMMON * sample.length)
    .slice(0, MAX_TRIGRAMS)
    .map(({ trigram }) => trigram)
}
