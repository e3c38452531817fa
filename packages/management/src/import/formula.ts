/**
 * The beginning of a formula. Single quotes may precede it, because {@link escapeFormula} adds one.
 */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/

/**
 * Makes a text safe for a cell of a CSV file. Spreadsheets run a text that begins with `=`, `+`,
 * `-` or `@` as a formula, which can leak the table. A single quote at the beginning prevents that.
 */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** Reverts {@link escapeFormula}. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}
