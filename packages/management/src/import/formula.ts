/** A quote may come before it, because an escape puts one there. */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/

/**
 * Text for a cell of a CSV file that people open. A spreadsheet takes what begins with `=`, `+`, `-`
 * or `@` for a formula, which may send the table elsewhere; after a quote it is text.
 */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** The text that {@link escapeFormula} was given. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}
