/**
 * Makes a text safe for a header: replaces all characters except printable ASCII by `?`, and keeps
 * at most 500 characters.
 */
export function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, '?').slice(0, 500)
}
