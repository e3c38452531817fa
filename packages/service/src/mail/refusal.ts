/** The members of an SMTP client's error about the server's answer. */
interface SmtpError {
  code?: unknown
  command?: unknown
  responseCode?: unknown
  response?: unknown
}

/** The maximum number of characters of an answer that are stored. */
const MAX_ANSWER = 300

/**
 * The codes of an error, for the log. The server's words are left out, because they may name
 * people.
 */
export function codesOf(error: unknown): string {
  const { code, responseCode } = error as SmtpError
  return [code, responseCode].filter((part) => part !== undefined).join(' ') || 'unknown'
}

/**
 * The answer of the mail server, without addresses and links. For an error without such an answer,
 * the codes of the error.
 */
export function answerIn(error: unknown): string {
  const { response } = error as SmtpError
  if (typeof response !== 'string' || response.trim() === '') return codesOf(error)
  return response
    .replace(/\s+/g, ' ')
    .replace(/\bhttps?:\/\/\S+/gi, '…')
    .replace(/[^\s<>"(),;:[\]]+@[^\s<>"(),;:[\]]+/g, '…')
    .trim()
    .slice(0, MAX_ANSWER)
}

/**
 * Whether the server refuses the message permanently (RFC 5321 §4.2.1). A refused connection or
 * password does not count, because the service's settings can be corrected. 552 for a recipient
 * means "too many for now" (§4.5.3.1.10).
 */
export function isFinal(error: unknown): boolean {
  const { code, command, responseCode } = error as SmtpError
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false
  if (command === 'MAIL FROM' || (command === 'RCPT TO' && responseCode === 552)) return false
  return typeof responseCode === 'number' && responseCode >= 500 && responseCode < 600
}
