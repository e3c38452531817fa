// Control characters, invisible characters, and characters that change the direction of the text.
// Line feeds are not included.
const CONTROL =
  /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u202a-\u202e\u2066-\u2069]/gu

/**
 * Escapes control characters, invisible characters and characters that reorder text, so that a text
 * is safe to print on a terminal. For example, ESC becomes `\x1b`. Line feeds stay; see
 * {@link oneLine}.
 */
export function printable(text: string): string {
  return isPlain(text) ? text : text.replace(CONTROL, escaped)
}

/** Escapes the same characters as {@link printable}, and line feeds. */
export function oneLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n')
}

/**
 * Escapes the control characters in JSON, so that it is safe to print on a terminal. The data stay
 * the same.
 */
export function printableJson(json: string): string {
  return isPlain(json) ? json : json.replace(CONTROL, utf16)
}

/**
 * Whether a text has only printable ASCII characters and line feeds. This check takes a third of
 * the time of a search for `CONTROL`.
 */
function isPlain(text: string): boolean {
  return !/[^\n -~]/.test(text)
}

function escaped(char: string): string {
  return char < '\u0100' ? `\\x${hex(char, 2)}` : utf16(char)
}

/** The JSON escape of a character. A character above U+FFFF becomes two escapes. */
function utf16(char: string): string {
  return char
    .split('')
    .map((unit) => `\\u${hex(unit, 4)}`)
    .join('')
}

function hex(unit: string, digits: number): string {
  return unit.charCodeAt(0).toString(16).padStart(digits, '0')
}
