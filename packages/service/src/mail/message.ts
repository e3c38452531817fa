/** A message ready to be sent. */
export interface MailMessage {
  /**
   * The recipient; `undefined` for a message that is not sent. A message without a recipient is
   * stored all the same, so that a request takes the same time whether or not there is an account.
   */
  to: string | undefined
  /** The name of the tenant, which is the name of the sender. */
  fromName: string
  replyTo: string | undefined
  subject: string
  text: string
  html: string
  /** The link in the message, for captured mail. */
  link: string | undefined
}

/** The transport of messages to the next mail server. */
export interface MailTransport {
  /**
   * Resolves when the next mail server has accepted the message. Rejects with `BrokenOff` if the
   * transport was closed first.
   */
  send(message: MailMessage & { to: string }): Promise<void>
  /** Closes all connections, also those that are sending a message. */
  close(): void
}
