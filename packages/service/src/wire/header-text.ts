/** Text that may hold anything, as printable ASCII of at most 500 characters for a header. */
export function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, '?').slice(0, 500)
}
