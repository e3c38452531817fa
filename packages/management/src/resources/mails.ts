import type { Send } from '../request.ts'
import type { Mail } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { readFiltered } from './filtered.ts'
import { segment } from './resource.ts'

/** A request to send a user an email. */
export interface MailInput {
  /**
   * The kind of the email. `reset` has a link to set a new password. `invite` has such a link for a
   * user who cannot log in yet; the link is valid for 7 days. `verify` has a link that verifies the
   * email address.
   */
  kind: 'reset' | 'invite' | 'verify'
  /** The language of the email. Default: the `locale` of the user, or else `en`. */
  language?: 'en' | 'de' | undefined
}

/** The emails of the last 7 days, with their delivery states. */
export interface Mails {
  /** Lists the emails, the newest first. `user` is the id of a user whose emails are listed. */
  list(query?: { user?: string | undefined }): AsyncGenerator<Mail, void, undefined>
  get(id: string): Promise<Mail>
  /** Sends an email to a user. If the response is lost, the request is not retried. */
  send(userId: string, input: MailInput): Promise<Mail>
  /**
   * Sends an email of the same kind to the same user, with a new link. The link of the first email
   * is no longer valid.
   */
  sendAgain(id: string): Promise<Mail>
}

export function createMails(send: Send, tenantId: string): Mails {
  const tenant = `/x/v1/tenants/${segment(tenantId)}`
  const path = `${tenant}/mails`
  const restore = (mail: Record<string, unknown>) => restoreZeros<Mail>(mail, zeros.Mail)
  const post = async (to: string, body: object) =>
    restore((await send({ method: 'POST', path: to, body, isRepeatable: false })).body)
  return {
    list: (query = {}) => readFiltered(send, path, { ...query }, restore),
    async get(id) {
      const input = { method: 'GET', path: `${path}/${segment(id)}`, isRepeatable: true } as const
      return restore((await send(input)).body)
    },
    send: (userId, input) => post(`${tenant}/users/${segment(userId)}/mails`, input),
    sendAgain: (id) => post(`${path}/${segment(id)}/resend`, {}),
  }
}
