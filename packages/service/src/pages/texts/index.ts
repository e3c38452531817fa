import { de } from './de.ts'
import { en, type TextKey, type Texts } from './en.ts'

export type { TextKey } from './en.ts'

/** The texts of pages and mails, by language (BCP 47). To add a language, add its texts here. */
export const catalogues: { readonly en: Texts; readonly de: Texts } = { en, de }

export type Language = keyof typeof catalogues

/** The languages that have texts. */
export const languages: readonly Language[] = Object.keys(catalogues) as Language[]

const DEFAULT: Language = 'en'

/** Looks up a text and replaces each `{name}` by its value. */
export type Translate = (key: TextKey, values?: Values) => string

type Values = Readonly<Record<string, string | number>>

/** Makes the function that looks up texts of a language. */
export function translator(language: Language): Translate {
  const texts = catalogues[language]
  return (key, values = {}) => fillIn(texts[key], values)
}

/** Replaces each `{name}` in a text by its value. A name without a value stays as it is. */
export function fillIn(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (place, name: string) => `${values[name] ?? place}`)
}

/**
 * The best language for a visitor. The application's wish counts first, then the browser's. English
 * is the default.
 *
 * @param uiLocales - The languages that the application asked for, as in the parameter
 *   `ui_locales`.
 * @param acceptLanguage - The languages that the browser asks for.
 * @see OpenID Connect Core 1.0 §3.1.2.1, RFC 9110 §12.5.4
 */
export function chooseLanguage(
  uiLocales: string | undefined,
  acceptLanguage: string | undefined,
): Language {
  const asked = uiLocales?.split(' ') ?? []
  const accepted = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim())
      const weight = parameters.find((text) => text.startsWith('q='))?.slice(2)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
  for (const tag of [...asked, ...accepted]) {
    const primary = tag.toLowerCase().split('-')[0]
    const known = languages.find((language) => language === primary)
    if (known) return known
  }
  return DEFAULT
}
