import {
  type MailLanguage,
  type MailRecord,
  mailLanguages,
} from '../../domain/operators/support.ts'
import type { MailKind } from '../../mail/compose.ts'
import { type MessageState, messageState } from '../../store/protocol-store.ts'
import { asIs, message, type Sentence, type Text } from '../texts/index.ts'

/** The language that a form chooses for a message; `undefined` if it chooses none. */
export function languageIn(form: URLSearchParams): MailLanguage | undefined {
  return mailLanguages.find((language) => language === form.get('language'))
}

/** The kinds of messages in words. */
const mailKinds: Readonly<Record<string, Sentence>> = {
  verify: 'Verification of the address',
  reset: 'Link for a new password',
  invite: 'Invitation',
  exists: 'Notice of an account that exists',
  changed: 'Notice of a new password',
  code: 'Code for the second step',
  loginCode: 'Code to log in',
  factors: 'Notice of changed ways to log in',
  guessed: 'Notice of guesses',
  addressCode: 'Code for a new address',
  moved: 'Notice of a new address',
  movedBySupport: 'Notice of a new address',
  held: 'Notice of an address that waits for a second operator',
  displaced: 'Notice of an account that was taken back',
  contested: 'Notice of a locked account',
  deleted: 'Notice of the deletion',
  connected: 'Notice of a connected account',
  device: 'Notice of a login on a new device',
  role: 'Notice of another role',
  impersonationAsked: 'Question whether an operator may log in as the user',
  impersonated: 'Notice of a login of an operator as the user',
  operatorInvite: 'Invitation of an operator',
  operatorJoined: 'Notice of an accepted invitation',
  webhookGone: 'Notice of an endpoint that is gone',
  webhookFailing: 'Notice of an endpoint that fails',
} satisfies Record<MailKind, Sentence>

/**
 * The last response of the mail server as a text. The error code of a failed connection becomes a
 * sentence.
 */
export function answerOf(answer: string | undefined): Text | undefined {
  if (!answer) return undefined
  const isCode = /^E[A-Z]+$/.test(answer)
  return isCode ? message('none: it can’t be reached ({code})', { code: answer }) : asIs(answer)
}

/** A message as the lists of mail show it. */
export type ShownMail = ReturnType<typeof shownMail>

/** A message with its state, its kind and the last response of the mail server in words. */
export function shownMail(one: MailRecord) {
  const state = messageState(one)
  return {
    ...one,
    answer: answerOf(one.answer),
    kind: mailKinds[one.kind ?? ''] ?? asIs(one.kind ?? ''),
    state: mailStates[state],
    isWaiting: state === 'waiting',
  }
}

/** The states of a message in words, each with the CSS class that colors its badge. */
export const mailStates: Readonly<Record<MessageState, { label: Sentence; color: string }>> = {
  waiting: { label: 'waiting', color: 'warn' },
  sent: { label: 'sent', color: 'good' },
  given_up: { label: 'given up', color: 'bad' },
  captured: { label: 'captured', color: '' },
}
