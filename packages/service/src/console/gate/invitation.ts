import { acceptInvitation, findInvited } from '../../domain/operators/operators.ts'
import type { PasswordProblem } from '../../domain/users/chosen-password.ts'
import { unlessRefused } from '../../domain/writes/commit.ts'
import type { ServiceScope } from '../../domain/writes/context.ts'
import { paths } from '../addresses/paths.ts'
import { type Answer, redirectTo } from '../calls/call.ts'
import type { Sentence } from '../texts/index.ts'
import type { Parts } from './context.ts'

/** The reasons why a password is refused, in words. */
const problems: Readonly<Record<PasswordProblem, Sentence>> = {
  short: 'Choose a password of at least 8 characters.',
  long: 'Choose a shorter password: at most 72 bytes.',
  common: 'This password is on lists of passwords that attackers try first. Choose another one.',
  leaked: 'This password is known from a data leak, so attackers try it. Choose another one.',
  email: 'Choose a password other than the address.',
  name: 'Choose a password other than a name.',
  character: 'The password has a character that cannot be stored.',
}

/**
 * Answers the page on which an invited operator sets a password.
 *
 * @param form - The submitted form; `undefined` to show the page.
 */
export async function answerInvitation(
  scope: ServiceScope,
  { support, strength }: Pick<Parts, 'support' | 'strength'>,
  url: URL,
  form: URLSearchParams | undefined,
): Promise<Answer> {
  const token = (form ?? url.searchParams).get('token') ?? ''
  const invited = await findInvited(scope.context, token)
  if (!invited) return invalid
  if (invited === 'expired') return expired
  const { email } = invited.user
  const isStepForced = strength.acr !== undefined
  const page = { kind: 'page', name: 'invitation', title: 'Your invitation' } as const
  if (!form) return { ...page, data: { token, email, isStepForced } }
  const accepted = await unlessRefused(
    acceptInvitation(scope, token, form.get('password') ?? ''),
    'not_found',
  )
  if (!accepted) return invalid
  if (accepted.kind === 'accepted') {
    await support.tellOfAcceptance(scope, accepted.accepted)
    return redirectTo(paths.overview)
  }
  return {
    ...page,
    status: 422,
    data: { token, email, isStepForced, wrong: problems[accepted.problem] },
  }
}

const invalid = noLonger(
  'It was used, withdrawn or replaced by a later one. If you have a later message, use the link in that, or ask an owner for a new one.',
)

const expired = noLonger('It is older than 24 hours. Ask an owner for a new one.')

function noLonger(message: Sentence): Answer {
  return {
    kind: 'page',
    name: 'message',
    title: 'The invitation is no longer good',
    status: 404,
    data: { message, link: { href: paths.overview, label: 'Log in' } },
  }
}
