import {
  type MailRecord,
  type RequestedMail,
  requestedMails,
  type Support,
} from '../../domain/operators/support.ts'
import type { TextMail } from '../../domain/tenants/tenant-texts.ts'
import { getTenant } from '../../domain/tenants/tenants.ts'
import { mayReset } from '../../domain/users/accounts.ts'
import { countWaysIn } from '../../domain/users/legacy-passwords.ts'
import { getUser } from '../../domain/users/users.ts'
import { holdOf } from '../../domain/ways/second-operator.ts'
import { readStanding } from '../../domain/ways/valid-links.ts'
import { note } from '../../domain/writes/audit.ts'
import { nowMicros, type Scope } from '../../domain/writes/context.ts'
import { found, ServiceError } from '../../domain/writes/errors.ts'
import { type Reason, reason } from '../../domain/writes/reasons/index.ts'
import { composeMail, kindOfTextMail } from '../../mail/compose.ts'
import type { Language } from '../../pages/index.ts'
import { translator } from '../../pages/texts/index.ts'
import type { QueuedMessage } from '../../store/protocol-store.ts'
import type { Tenant, User } from '../../store/records.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'
import type { IssuerContext } from '../context.ts'
import { sendLink } from '../interaction/mail/messages.ts'
import { issuerUrl } from '../requests/issuer-url.ts'
import { factsFor, languageOf, tooManyMails } from './facts.ts'

/**
 * Creates the part of {@link Support} for messages: those that an operator sends to users,
 * examples, and the record of each message.
 */
export function mailsOf(
  context: IssuerContext,
): Pick<
  Support,
  | 'sendsMail'
  | 'sample'
  | 'sendSample'
  | 'sendMail'
  | 'mail'
  | 'mails'
  | 'mailsInState'
  | 'sendAgain'
> {
  async function sendMail(
    scope: Scope,
    userId: string,
    mail: Parameters<Support['sendMail']>[2],
  ): Promise<MailRecord> {
    const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
    const { kind, language = languageOf(user) } = mail
    await checkUse(scope, tenant, user, kind)
    await refuseHeld(scope, user)
    const facts = factsFor(context, tenant, scope)
    const sent = await sendLink(context, kind, { facts, language }, user.email, user)
    if (!sent) throw tooManyMails()
    await note(scope, 'mail.requested', user.id)
    return recordOf(sent)
  }

  async function queued(scope: Scope, id: string): Promise<QueuedMessage> {
    await getTenant(scope)
    const message = found(await context.outbox.get(scope.tenantId, id))
    return found(message.kind === undefined ? undefined : message)
  }

  /** A message with example values. */
  function compose(
    tenant: Tenant,
    mail: TextMail,
    { to, ...options }: { language: Language; to: SampleReader; logoUrl?: string | undefined },
  ) {
    const application = tenant.settings.companyName || tenant.settings.domain
    const isCode = mail === 'code' || mail === 'login_code'
    return composeMail(kindOfTextMail(mail), tenant, to, {
      ...options,
      ...(isCode
        ? { values: { code: '12345678', application } }
        : { link: `${issuerUrl(tenant.settings.domain, context)}/reset?token=example` }),
    })
  }

  return {
    sendsMail: context.outbox.sends,

    sample(tenant, mail, language, logoUrl) {
      const to = { email: 'ada@example.com', profile: { given_name: 'Ada' }, verifiedAt: 1 }
      const { subject, text, html } = compose(tenant, mail, { language, to, logoUrl })
      return { subject, text, html }
    },

    async sendSample(scope, { tenant, mail, language, to }) {
      const facts = factsFor(context, tenant, scope)
      if (!(await context.throttle.admitMail(facts, to.email))) throw tooManyMails()
      const message = compose(tenant, mail, { language, to })
      const subject = translator(language)('mailTestSubject', { subject: message.subject })
      await context.outbox.post(tenant, { ...message, subject }, { kind: kindOfTextMail(mail) })
      await note(scope, 'mail.tested', scope.tenantId)
    },

    sendMail,

    mail: async (scope, id) => recordOf(await queued(scope, id)),

    async mails(scope, query) {
      await getTenant(scope)
      return (await context.outbox.find(scope.tenantId, query)).map(recordOf)
    },

    async mailsInState({ tenantId }, { state, after, limit }) {
      const read = await context.outbox.find(tenantId, { state, after, limit: limit + 1 })
      const items = read.slice(0, limit).map(recordOf)
      return { items, next: read.length > limit ? items.at(-1) : undefined }
    },

    async sendAgain(scope, id) {
      const message = await queued(scope, id)
      const { kind, userId } = message
      const requested = requestedMails.find((one) => one === kind)
      if (!requested || userId === undefined) {
        throw new ServiceError('conflict', reason('mail_not_sent_again'))
      }
      return sendMail(scope, userId, {
        kind: requested,
        language: context.outbox.languageOf(message),
      })
    },
  }
}

/** The recipient in an example of a message. */
type SampleReader = Pick<User, 'email' | 'profile' | 'verifiedAt'>

/**
 * Refuses to send a link to an address that waits for a second operator, because the link would not
 * work.
 */
async function refuseHeld(scope: Scope, user: User): Promise<void> {
  const standing = await readStanding(scope.context, user)
  const hold = holdOf({ user, standing }, nowMicros(scope.context.clock))
  if (!hold) return
  const until = formatTimestamp(hold.until).slice(0, 16).replace('T', ' ')
  throw new ServiceError('conflict', reason('address_held', { time: until }))
}

/** Refuses to send a link that would not work, or an invitation to a user with a login method. */
async function checkUse(
  scope: Scope,
  { settings }: Tenant,
  user: User,
  kind: RequestedMail,
): Promise<void> {
  const refuse = (because: Reason) => new ServiceError('conflict', because)
  if (kind === 'verify') {
    if (user.verifiedAt !== undefined) throw refuse(reason('mail_address_verified'))
    if (user.disabled) throw refuse(reason('mail_user_disabled'))
    return
  }
  if (!settings.allowPasswords) throw refuse(reason('mail_passwords_off'))
  if (!(await mayReset(scope.context, scope.tenantId, user))) {
    throw refuse(reason('mail_password_disabled'))
  }
  if (kind === 'invite' && (await countWaysIn(scope, user.id)) > 0) {
    throw refuse(reason('mail_has_way_in'))
  }
}

/** The record of a message, without its content. */
export function recordOf({ sealed, ...record }: QueuedMessage): MailRecord {
  return record
}
