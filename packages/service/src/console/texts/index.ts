import type { ServiceError } from '../../domain/writes/errors.ts'
import { type Reason, sentenceIn, type Translated } from '../../domain/writes/reasons/index.ts'
import type { Language } from '../../pages/index.ts'
import { de } from './de.ts'

/** A sentence or label of the console, in English: its key in the catalogues of other languages. */
export type Sentence = keyof typeof de

/** A value in a sentence: a name as it is, a number, or another text. */
type Value = string | number | Exclude<Text, string>

type Values = Readonly<Record<string, Value>>

/**
 * A text that is shown in the language of the operator. A text that routes make and pages show: a
 * sentence with or without values, a name, the reason of a rule of the domain, or a text with its
 * translation.
 */
export type Text =
  | Sentence
  | { readonly sentence: Sentence; readonly values: Values }
  | { readonly asIs: string }
  | Reason
  | Translated

/** A sentence with values in place of `{name}`. */
export function message(sentence: Sentence, values: Values = {}): Message {
  return { sentence, values }
}

/** A sentence about a number of things. `{count}` in the sentence stands for this number. */
export function many(count: number, one: Sentence, more: Sentence, values: Values = {}): Message {
  return { sentence: count === 1 ? one : more, values: { count, ...values } }
}

export type Message = Extract<Text, { sentence: Sentence }>

/** A name, which is the same in every language. */
export function asIs(name: string): Text {
  return { asIs: name }
}

/** The reason of a refusal. */
export function refusalText({ reason, message }: ServiceError): Text {
  return reason ?? asIs(message)
}

/** Translates texts to one language. */
export interface Translator {
  readonly language: Language
  /** A text, to be escaped. */
  t(text: Text, values?: Values): string
  /**
   * A sentence with markup, as HTML. The values are HTML, too, so the template must escape them.
   */
  h(sentence: Sentence, values?: Readonly<Record<string, string | number>>): string
}

/** The translator of a language. */
export function translatorOf(language: Language): Translator {
  const inLanguage = (sentence: string) =>
    (language === 'de' ? german.get(sentence) : undefined) ?? sentence

  function t(text: Text, values: Values = {}): string {
    if (typeof text === 'string') return fill(inLanguage(text), values)
    if ('sentence' in text) return t(text.sentence, { ...text.values, ...values })
    if ('asIs' in text) return text.asIs
    if ('reason' in text) return sentenceIn(language, text)
    return text[language]
  }

  function fill(pattern: string, values: Values): string {
    return pattern.replaceAll(PLACE, (place, name: string) => {
      const value = values[name]
      if (value === undefined) return place
      if (typeof value === 'number') return value.toLocaleString(language)
      return typeof value === 'string' ? value : t(value)
    })
  }

  return {
    language,
    t,
    h: (sentence, values = {}) =>
      inLanguage(sentence).replaceAll(PLACE, (place, name: string) => `${values[name] ?? place}`),
  }
}

/** The German texts, by the English texts. */
const german: ReadonlyMap<string, string> = new Map(Object.entries(de))

const PLACE = /\{(\w+)\}/g
