import { randomUUID } from 'node:crypto'
import { composeMail, type MailKind } from '../../mail/compose.ts'
import type { Language } from '../../pages/index.ts'
import type { User } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import type { RequestFacts } from '../requests/request-facts.ts'
import { issueEmailToken, type TokenPurpose } from './email-tokens.ts'

/** On which occasion a message is sent. */
export interface Occasion {
  facts: RequestFacts
  language: Language
  /** The handle of the login under way, so that the link leads back into it. */
  flow?: string | undefined
  applicationId?: string | undefined
}

const linkOf: { [Kind in Exclude<MailKind, 'changed'>]: [TokenPurpose, string] } = {
  verify: ['VerifyToken', '/verify'],
  reset: ['ResetToken', '/reset'],
  exists: ['ResetToken', '/reset'],
}

/**
 * Sends a message with a link to the user.
 *
 * Without a user everything is done as well, but the message goes to nobody: whoever asks cannot tell
 * from the time it takes whether there is one.
 */
export async function sendLink(
  context: IssuerContext,
  kind: keyof typeof linkOf,
  occasion: Occasion,
  email: string,
  user: User | undefined,
): Promise<void> {
  const { facts, language, flow, applicationId } = occasion
  if (!(await context.throttle.admitMail(facts, email))) return

  const [purpose, path] = linkOf[kind]
  const token = await issueEmailToken(context, facts.tenant.id, purpose, {
    userId: user?.id ?? `nobody-${randomUUID()}`,
    emailKey: user?.emailKey ?? '',
    email: user?.email ?? '',
    flow,
    applicationId,
  })
  const query = new URLSearchParams({ token, ui_locales: language })
  if (applicationId !== undefined) query.set('application', applicationId)
  const link = `${facts.issuer}${path}?${query}`
  await context.outbox.post(facts.tenant, composeMail(kind, facts.tenant, user, { language, link }))
}

/** Tells the user that the password was changed. */
export async function sendPasswordChanged(
  context: IssuerContext,
  { facts, language }: Occasion,
  user: User,
): Promise<void> {
  await context.outbox.post(facts.tenant, composeMail('changed', facts.tenant, user, { language }))
}
