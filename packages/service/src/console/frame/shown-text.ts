import type { Sentence, Translator } from '../texts/index.ts'

/**
 * Matches characters that reorder text, and characters that are invisible. U+200D and U+FE0F are
 * excepted behind an emoji, because they join or style emoji.
 */
const HIDDEN =
  /(?![\u200d\ufe0f])(?:\p{Cc}|\p{Cf}|\p{Variation_Selector}|\u115f|\u1160|\u3164|\uffa0)|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)(?:\u200d|\ufe0f)/gu

/** Matches the letters of scripts in which some letters look like those of another script. */
const ALIKE = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
)

/**
 * Turns text of a tenant or user into HTML. The text is escaped, and isolated so that it cannot
 * reorder the surrounding text. Invisible characters and words with letters of several scripts are
 * marked, because they could imitate another text.
 */
export function shownText(text: string, t: Translator['t']): string {
  const parts = text.split(/([^\p{L}\p{M}\p{N}]+)/u)
  const isMixed = parts.some((part) => ALIKE.filter((script) => script.test(part)).length > 1)
  const marks: Sentence[] = [
    ...(isMixed ? (['letters of several scripts'] as const) : []),
    ...(text.search(HIDDEN) >= 0 ? (['hidden characters'] as const) : []),
  ]
  const shown = escapeHtml(text).replace(HIDDEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `<span class="hidden-character">U+${code}</span>`
  })
  const mark = marks.map((one) => ` <span class="badge warn">${t(one)}</span>`).join('')
  return `<bdi>${shown}</bdi>${mark}`
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, (character) => entities[character] as string)
}
