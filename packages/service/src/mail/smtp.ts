import { createTransport } from 'nodemailer'
import type { MailTransport } from './message.ts'

/** How mail leaves the service. */
export interface SmtpOptions {
  /** `smtp://` or `smtps://`, with user and password where needed, as `smtp://user:pass@host:587`. */
  url: string
  /** The address of the sender; the tenant's name goes in front of it. */
  from: string
}

/** Sends mail over SMTP, through two connections that are kept. */
export function createSmtpTransport(options: SmtpOptions): MailTransport {
  const url = URL.parse(options.url)
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw new TypeError('The mail server must be given as smtp://host:port or smtps://host:port.')
  }
  const transport = createTransport({
    url: options.url,
    pool: true,
    maxConnections: 2,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

  return {
    async send({ to, fromName, replyTo, subject, text, html }) {
      await transport.sendMail({
        from: { name: fromName, address: options.from },
        to: { name: '', address: to },
        ...(replyTo && { replyTo }),
        subject,
        text,
        html,
        // RFC 3834 §5: no holiday greetings, please.
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    },
    close: () => transport.close(),
  }
}
