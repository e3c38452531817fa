/** A message ready to be sent. */
export interface MailMessage {
  /**
   * `undefined` for a message that is not sent. It takes the same way through the service as any
   * other, so that asking for one takes the same time whether there is an account or not.
   */
  to: string | undefined
  /** The tenant's name, in front of the sender's address. */
  fromName: string
  replyTo: string | undefined
  subject: string
  text: string
  html: string
  /** The link in it, for readers of captured mail. */
  link: string | undefined
}

/** Sends messages on. */
export interface MailTransport {
  /** Resolves when the next server has taken the message. */
  send(message: MailMessage & { to: string }): Promise<void>
  close(): void
}
