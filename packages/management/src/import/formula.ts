/** A quote may come before it, because an escape puts one there. */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/

/**
 * Makes a text safe for a cell of a CSV file. Spreadsheets run texts that begin with `=`, `+`, `-`
 * or `@` as formulas, which can leak the table. A quote in front makes it plain text.
 */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** The text that {@link escapeFormula} was given. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}
