import type { User } from './records.ts'

/** How much of a name is searched, in UTF-16 units. */
const MAX_NAME = 254

/** Letters that Unicode does not decompose, by the letters that people type for them. */
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

/** Three letters or digits in a row: the least that a trigram index finds. */
const FINDABLE = /[\p{L}\p{N}]{3}/u

/** The share of a sample from which on a trigram is not rare: it narrows a search hardly, and its list is long. */
const COMMON = 0.5

/** A text as it is compared in the middle of others: in lower case, without accents, with single spaces. */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(EVERY_PLAIN, (letter) => PLAIN[letter] ?? letter)
    .replace(GAPS, ' ')
    .trim()
}

/** The texts of a user for searches by any part, and by domain. */
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
    // No search contains a line break, so none matches the end of one text and the beginning of the next.
    search_text: texts.join('\n'),
    domain_key: domainKey(emailKey),
  }
}

/** The domain of an address, in the form in which addresses are compared. */
export function domainKey(emailKey: string): string {
  return emailKey.slice(emailKey.lastIndexOf('@') + 1)
}

/** The text to look for in the middle of others; `undefined` when a trigram index cannot find it. */
export function findableText(search: string): string | undefined {
  const text = foldText(search)
  return FINDABLE.test(text) ? text : undefined
}

/**
 * The number of trigrams of a search that are looked up in the index. More would hardly reduce the
 * result.
 */
const MAX_TRIGRAMS = 4

/** The trigrams of a text that are the rarest ones in a sample. */
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
