import type { Send } from '../request.ts'
import type { Mail } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { readFiltered } from './filtered.ts'
import { segment } from './resource.ts'

/** A message to send. */
export interface MailInput {
  /**
   * `reset`: a link to set a new password. `invite`: such a link for a user who has no way to log
   * in yet; it is valid for 7 days. `verify`: a link that proves the address.
   */
  kind: 'reset' | 'invite' | 'verify'
  /** Default `en`. */
  language?: 'en' | 'de' | undefined
}

/** The messages of the last 7 days, and whether they arrived. */
export interface Mails {
  /** Lists the messages, the newest first. */
  list(query?: { user?: string | undefined }): AsyncGenerator<Mail, void, undefined>
  get(id: string): Promise<Mail>
  /** Sends a message to a user. It is not repeated if the response is lost. */
  send(userId: string, input: MailInput): Promise<Mail>
  /**
   * Sends a message of the same kind again, with a new link. The earlier link is no longer valid.
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
