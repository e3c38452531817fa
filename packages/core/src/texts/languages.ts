import type { AuthRequest } from '../http/request.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import type { PageTexts } from './page-texts.ts'

/** The texts of each language, by its primary tag, such as `de`. */
export type Languages = ReadonlyMap<string, PageTexts>

/** The texts of one page, and their language. */
export interface Translation {
  readonly language: string
  readonly texts: PageTexts
}

/**
 * The texts of all languages: English and German of the kit, replaced or extended by those of the
 * application.
 */
export function languagesOf(own: Readonly<Record<string, Partial<PageTexts>>> = {}): Languages {
  const all = new Map<string, PageTexts>([
    ['en', en],
    ['de', de],
  ])
  for (const [language, texts] of Object.entries(own)) {
    const base = all.get(language) ?? en
    all.set(language, { ...base, ...texts, errors: { ...base.errors, ...texts.errors } })
  }
  return all
}

/** The languages that are written from right to left, by their primary tags. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set('ar ckb dv fa he ps sd ug ur yi'.split(' '))

/** Whether a language is written from right to left. */
export function isRightToLeft(language: string): boolean {
  return RIGHT_TO_LEFT.has(language)
}

/**
 * The texts for a visitor, in the known language that the browser prefers; in English if it names
 * no known language.
 *
 * @see RFC 9110 §12.5.4
 */
export function translate(
  languages: Languages,
  { headers }: Pick<AuthRequest, 'headers'>,
): Translation {
  const accepted = (headers.get('accept-language') ?? '')
    .split(',', MOST_LANGUAGES)
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim())
      const weight = parameters.find((text) => text.startsWith('q='))?.slice(2)
      const [primary = ''] = tag.toLowerCase().split('-', 1)
      return { primary, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ primary, weight }) => weight > 0 && languages.has(primary))
    .sort((a, b) => b.weight - a.weight)
  const language = accepted[0]?.primary ?? 'en'
  return { language, texts: languages.get(language) ?? en }
}

/** The most languages that are read from a header. */
const MOST_LANGUAGES = 20
