// Characters that move the cursor, change the title or the direction of the text, or can't be seen.
const CONTROL =
  /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u202a-\u202e\u2066-\u2069]/gu

/**
 * Text that is safe to print: control characters and characters that reorder text are escaped, such
 * as `\x1b`. Line feeds stay; see {@link oneLine}.
 */
export function printable(text: string): string {
  return isPlain(text) ? text : text.replace(CONTROL, escaped)
}

/** {@link printable} text in which line feeds are escaped too. */
export function oneLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n')
}

/** JSON without terminal control characters: the same data, with more characters escaped. */
export function printableJson(json: string): string {
  return isPlain(json) ? json : json.replace(CONTROL, utf16)
}

/** Whether a text is printable ASCII: a check that takes a third of the time of the exact one. */
function isPlain(text: string): boolean {
  return !/[^\n -~]/.test(text)
}

function escaped(char: string): string {
  return char < '\u0100' ? `\\x${hex(char, 2)}` : utf16(char)
}

/** The JSON escape of a character; one above U+FFFF becomes two escapes. */
function utf16(char: string): string {
  return char
    .split('')
    .map((unit) => `\\u${hex(unit, 4)}`)
    .join('')
}

function hex(unit: string, digits: number): string {
  return unit.charCodeAt(0).toString(16).padStart(digits, '0')
}
