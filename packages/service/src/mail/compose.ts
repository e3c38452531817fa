import { absoluteLogo, brandOf } from '../domain/tenants/tenant-features.ts'
import { nameInMail, ownText, type TextMail } from '../domain/tenants/tenant-texts.ts'
import { accentsOf } from '../pages/accents.ts'
import {
  fillIn,
  type Language,
  type TextKey,
  type Translate,
  translator,
} from '../pages/texts/index.ts'
import type { Tenant, User } from '../store/records.ts'
import type { MailMessage } from './message.ts'
import { mailTemplates } from './templates.ts'

/** The kind of a message. Each kind has its own subject and text. */
export type MailKind =
  | 'verify'
  | 'reset'
  | 'invite'
  | 'exists'
  | 'changed'
  | 'code'
  | 'loginCode'
  | 'factors'
  | 'guessed'
  | 'addressCode'
  | 'moved'
  | 'movedBySupport'
  | 'held'
  | 'displaced'
  | 'contested'
  | 'deleted'
  | 'connected'
  | 'device'
  | 'role'
  | 'impersonationAsked'
  | 'impersonated'
  | 'operatorInvite'
  | 'operatorJoined'
  | 'webhookGone'
  | 'webhookFailing'

const texts: { [Kind in MailKind]: { subject: TextKey; text: TextKey; button?: TextKey } } = {
  verify: { subject: 'mailVerifySubject', text: 'mailVerifyText', button: 'mailVerifyButton' },
  reset: { subject: 'mailResetSubject', text: 'mailResetText', button: 'mailResetButton' },
  invite: { subject: 'mailInviteSubject', text: 'mailInviteText', button: 'mailInviteButton' },
  exists: { subject: 'mailExistsSubject', text: 'mailExistsText', button: 'mailExistsButton' },
  changed: { subject: 'mailChangedSubject', text: 'mailChangedText', button: 'mailUndoButton' },
  code: { subject: 'mailCodeSubject', text: 'mailCodeText' },
  loginCode: { subject: 'mailCodeSubject', text: 'mailLoginCodeText' },
  factors: { subject: 'mailFactorsSubject', text: 'mailFactorAddedText', button: 'mailUndoButton' },
  addressCode: { subject: 'mailCodeSubject', text: 'mailAddressCodeText' },
  moved: { subject: 'mailMovedSubject', text: 'mailMovedText', button: 'mailUndoButton' },
  movedBySupport: {
    subject: 'mailMovedSubject',
    text: 'mailMovedBySupportText',
    button: 'mailContestButton',
  },
  held: { subject: 'mailHeldSubject', text: 'mailHeldText' },
  displaced: {
    subject: 'mailDisplacedSubject',
    text: 'mailDisplacedText',
    button: 'mailContestButton',
  },
  contested: { subject: 'mailContestedSubject', text: 'mailContestedText' },
  deleted: { subject: 'mailDeletedSubject', text: 'mailDeletedText' },
  connected: { subject: 'mailFactorsSubject', text: 'mailConnectedText', button: 'mailUndoButton' },
  role: { subject: 'mailRoleSubject', text: 'mailRoleText' },
  impersonationAsked: {
    subject: 'mailImpersonationAskedSubject',
    text: 'mailImpersonationAskedText',
    button: 'mailImpersonationButton',
  },
  impersonated: {
    subject: 'mailImpersonatedSubject',
    text: 'mailImpersonatedText',
    button: 'mailImpersonationButton',
  },
  operatorInvite: {
    subject: 'mailOperatorInviteSubject',
    text: 'mailOperatorInviteText',
    button: 'mailOperatorInviteButton',
  },
  operatorJoined: { subject: 'mailOperatorJoinedSubject', text: 'mailOperatorJoinedText' },
  webhookGone: { subject: 'mailWebhookSubject', text: 'mailWebhookGoneText' },
  webhookFailing: { subject: 'mailWebhookSubject', text: 'mailWebhookFailingText' },
  device: { subject: 'mailDeviceSubject', text: 'mailDeviceText', button: 'mailUndoButton' },
  guessed: { subject: 'mailGuessedSubject', text: 'mailGuessedText', button: 'mailUndoButton' },
}

/** The kinds of messages whose texts a tenant can replace. */
const ownTexts: { readonly [Kind in MailKind]?: OwnMail } = {
  verify: { name: 'mail_verify', works: [24, 'hour'] },
  reset: { name: 'mail_reset', works: [1, 'hour'] },
  invite: { name: 'mail_invite', works: [7, 'day'] },
  code: { name: 'mail_code', works: [10, 'minute'], safety: 'mailCodeSafety' },
  loginCode: { name: 'mail_login_code', works: [10, 'minute'], safety: 'mailLoginCodeSafety' },
}

/** The name of a tenant's texts for a message, and the parts that the tenant cannot replace. */
interface OwnMail {
  readonly name: `mail_${TextMail}`
  /** The lifetime of the link or the code. */
  readonly works: readonly [number, 'day' | 'hour' | 'minute']
  /** Our own sentence after the tenant's text. */
  readonly safety?: TextKey
}

/** The kind of message for a text that tenants can replace. */
export function kindOfTextMail(mail: TextMail): MailKind {
  return mail === 'login_code' ? 'loginCode' : mail
}

/** The buttons for a person who did not make the change that the message reports. */
const contesting: ReadonlySet<TextKey> = new Set(['mailUndoButton', 'mailContestButton'])

/** The buttons that only open a page. The text of their message says what to do. */
const leading: ReadonlySet<TextKey> = new Set(['mailImpersonationButton'])

function ignoreOf(button: TextKey | undefined, t: Translate): string {
  if (button === undefined || leading.has(button)) return ''
  return t(contesting.has(button) ? 'mailUndoIgnore' : 'mailIgnore')
}

/** Writes a message in the tenant's name and the user's language, as text and as HTML. */
export function composeMail(
  kind: MailKind,
  tenant: Tenant,
  to: Pick<User, 'profile' | 'email' | 'verifiedAt'> | undefined,
  options: {
    language: Language
    link?: string
    values?: Record<string, string>
    /** The text to use instead of the text of the kind. */
    text?: TextKey
    /** The URL to use instead of that of the tenant's logo; `undefined` for no logo. */
    logoUrl?: string | undefined
  },
): MailMessage {
  const t = translator(options.language)
  const { companyName, domain, logoImageText, supportEmail } = tenant.settings
  const company = nameInMail(companyName, domain)
  const values = safeValues(options.values, domain)
  // Anyone can sign up with an address and a name. The owner of the address must not get the name
  // that a stranger has chosen.
  const isProven = to?.verifiedAt !== undefined
  const name = isProven ? (to.profile.given_name ?? to.profile.name) : undefined
  const { subject, text, button } = texts[kind]
  const { color } = brandOf(tenant)
  const own = options.text === undefined ? ownTextsIn(kind, tenant, { ...options, values }) : {}
  const content = {
    language: options.language,
    subject: own.subject ?? t(subject, { company }),
    brand: logoImageText ? nameInMail(logoImageText, domain) : company,
    logoUrl: 'logoUrl' in options ? options.logoUrl : absoluteLogo(tenant),
    accents: accentsOf(color),
    greeting: name ? t('mailGreeting', { name }) : t('mailGreetingPlain'),
    code: options.values?.code === undefined ? undefined : t('mailCode', options.values),
    text: own.text ?? t(options.text ?? text, values),
    safety: own.safety,
    button: options.link && button && t(button),
    link: options.link,
    linkFallback: t('mailLinkFallback'),
    ignore: ignoreOf(button, t),
    support: supportEmail && t('support', { email: supportEmail }),
    signature: t('mailSignature', { company }),
  }
  return {
    to: to?.email.trim(),
    fromName: company,
    replyTo: supportEmail || undefined,
    subject: content.subject,
    text: mailTemplates.plain(content),
    html: mailTemplates.html(content),
    link: options.link,
  }
}

/** The values of a message. Names that the tenant has chosen pass through {@link nameInMail}. */
function safeValues(values: Readonly<Record<string, string>> = {}, domain: string) {
  const names = ['application', 'company', 'name'].filter((name) => values[name] !== undefined)
  const safe = names.map((name) => [name, nameInMail(values[name] ?? '', domain)] as const)
  return { ...values, ...Object.fromEntries(safe) }
}

/** The tenant's own texts for a message, with the values filled in. */
function ownTextsIn(
  kind: MailKind,
  tenant: Tenant,
  { language, values }: { language: Language; values?: Record<string, string> },
): { subject?: string; text?: string; safety?: string } {
  const mail = ownTexts[kind]
  if (!mail) return {}
  const { companyName, domain } = tenant.settings
  const [count, unit] = mail.works
  const duration = count.toLocaleString(language, { style: 'unit', unit, unitDisplay: 'long' })
  const places = { ...values, company: nameInMail(companyName, domain), duration }
  const subject = ownText(tenant, language, `${mail.name}_subject`)
  const text = ownText(tenant, language, `${mail.name}_text`)
  return {
    ...(subject && { subject: fillIn(subject, places) }),
    ...(text && { text: fillIn(text, places) }),
    ...(text && mail.safety && { safety: translator(language)(mail.safety) }),
  }
}
