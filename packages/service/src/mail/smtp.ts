import { createTransport } from 'nodemailer'
import { BrokenOff } from '../background/index.ts'
import type { MailTransport } from './message.ts'

/** The mail server, and the sender of all mail. */
export interface SmtpOptions {
  /**
   * The URL of the server: `smtp://` or `smtps://`, with user and password if needed, such as
   * `smtp://user:pass@host:587`.
   */
  url: string
  /** The address of the sender. The name of the sender is that of the tenant. */
  from: string
}

/**
 * Creates a transport that sends mail over SMTP, through two connections that stay open.
 *
 * @throws TypeError if the URL does not name a mail server.
 */
export function createSmtpTransport(options: SmtpOptions): MailTransport {
  if (!isMailServer(options.url)) {
    throw new TypeError(
      'The mail server must be given as smtp://host:port or smtps://user:password@host:port. Percent-encode the user and the password: "/" is %2F, "%" is %25, "?" is %3F and "#" is %23.',
    )
  }
  const transport = createTransport({
    url: options.url,
    pool: true,
    maxConnections: 2,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    // A server that does not close its side keeps the process alive for this time.
    socketCloseTimeout: 1_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

  let isClosed = false

  return {
    async send({ to, fromName, replyTo, subject, text, html }) {
      const message = {
        from: { name: fromName, address: options.from },
        to: { name: '', address: to },
        ...(replyTo && { replyTo }),
        subject,
        text,
        html,
        // Prevents automatic replies, such as holiday notices (RFC 3834 §5).
        headers: { 'Auto-Submitted': 'auto-generated' },
      }
      try {
        await transport.sendMail(message)
      } catch (error) {
        throw isClosed ? new BrokenOff(error) : error
      }
    },
    close() {
      isClosed = true
      transport.close({ force: true })
    },
  }
}

/**
 * Whether a URL has only the parts of a mail server. A slash in the password would end the host too
 * early, and mail would go to a host with the user's name.
 */
function isMailServer(address: string): boolean {
  const url = URL.parse(address)
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') return false
  // A query could set options of the mail client, such as `pool`.
  if (!['', '/'].includes(url.pathname) || url.hash !== '' || url.search.includes('@')) return false
  try {
    decodeURIComponent(url.username + url.password)
    return true
  } catch {
    return false
  }
}
