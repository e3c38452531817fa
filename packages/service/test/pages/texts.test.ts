import { expect, test } from 'vitest'
import { catalogues, languages, type TextKey } from '../../src/pages/texts/index.ts'

const { en } = catalogues

/** The values that a text has places for. */
const placesIn = (text: string): string[] =>
  [...new Set(text.match(/\{\w+\}/g) ?? [])].sort((a, b) => a.localeCompare(b))

test.for(languages)(
  'the language "%s" has every text, each with the same values as in English',
  (language) => {
    const texts = catalogues[language]
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(en).toSorted())
    for (const [key, text] of Object.entries(texts)) {
      expect(text.trim(), key).not.toBe('')
      expect(placesIn(text), key).toEqual(placesIn(en[key as TextKey]))
    }
  },
)

test.for(languages)(
  'the language "%s" has a name by which browsers ask for it, and dates and numbers',
  (language) => {
    expect(Intl.getCanonicalLocales(language)).toEqual([language])
    expect(Intl.DateTimeFormat.supportedLocalesOf([language])).toEqual([language])
  },
)
