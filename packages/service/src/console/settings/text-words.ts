import type { TextMail, TextName } from '../../domain/tenants/tenant-texts.ts'
import type { Sentence } from '../texts/index.ts'

/** A message or a page with texts that a tenant can replace. */
interface TextGroup<Id extends string> {
  readonly id: Id
  readonly label: Sentence
  readonly names: readonly TextName[]
}

/** The messages with texts that a tenant can replace. */
export const mailTexts: readonly TextGroup<TextMail>[] = [
  mailOf('verify', 'Mail: confirm an address'),
  mailOf('reset', 'Mail: new password'),
  mailOf('invite', 'Mail: invitation'),
  mailOf('code', 'Mail: code of a second step'),
  mailOf('login_code', 'Mail: code of a login'),
]

/** The pages with texts that a tenant can replace. */
export const pageTexts: readonly TextGroup<'login' | 'signup'>[] = [
  { id: 'login', label: 'Login page', names: ['login_title', 'login_text'] },
  { id: 'signup', label: 'Sign-up page', names: ['signup_title', 'signup_text'] },
]

function mailOf(id: TextMail, label: Sentence): TextGroup<TextMail> {
  return { id, label, names: [`mail_${id}_subject`, `mail_${id}_text`] }
}

const subject: Sentence = 'Subject'
const paragraph: Sentence = 'First paragraph'

/** The label of each text that a tenant can replace. */
export const textWords: Readonly<Record<TextName, Sentence>> = {
  mail_verify_subject: subject,
  mail_verify_text: paragraph,
  mail_reset_subject: subject,
  mail_reset_text: paragraph,
  mail_invite_subject: subject,
  mail_invite_text: paragraph,
  mail_code_subject: subject,
  mail_code_text: paragraph,
  mail_login_code_subject: subject,
  mail_login_code_text: paragraph,
  login_title: 'Heading',
  login_text: 'Help',
  signup_title: 'Heading',
  signup_text: 'Help',
}

/** The label of the message or page that a text belongs to. */
export function groupOf(text: TextName): Sentence {
  const group = [...mailTexts, ...pageTexts].find(({ names }) => names.includes(text))
  return group?.label ?? textWords[text]
}
