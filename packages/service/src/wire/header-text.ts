/** Makes any text safe for a header: printable ASCII of at most 500 characters. */
export function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, '?').slice(0, 500)
}
