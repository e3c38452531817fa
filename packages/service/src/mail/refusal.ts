/** The error of an SMTP client, as far as it tells of the server. */
interface SmtpError {
  code?: unknown
  command?: unknown
  responseCode?: unknown
  response?: unknown
}

/** The longest answer that is kept. */
const MAX_ANSWER = 300

/** The codes of an error, for the log: the words of a server may name people. */
export function codesOf(error: unknown): string {
  const { code, responseCode } = error as SmtpError
  return [code, responseCode].filter((part) => part !== undefined).join(' ') || 'unknown'
}

/** The words of the mail server, without addresses and links; the codes of an error that is not the server's. */
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
 * Whether the server refuses the message for good (RFC 5321 §4.2.1). A refused connection or
 * password is a fault of the service's settings, which can be corrected. 552 for a recipient means
 * "too many for now" (§4.5.3.1.10).
 */
export function isFinal(error: unknown): boolean {
  const { code, command, responseCode } = error as SmtpError
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false
  if (command === 'MAIL FROM' || (command === 'RCPT TO' && responseCode === 552)) return false
  return typeof responseCode === 'number' && responseCode >= 500 && responseCode < 600
}
