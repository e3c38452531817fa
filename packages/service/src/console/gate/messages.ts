import { paths } from '../addresses/paths.ts'
import type { Content } from '../pages/index.ts'
import type { Sentence, Text } from '../texts/index.ts'

type Message = Content & { readonly name: 'message' }

/** A page with a message and a link. */
export function messagePage(
  title: Sentence,
  text?: Text,
  link: { href: string; label: Sentence } = {
    href: paths.overview,
    label: 'Back to the overview',
  },
): Message {
  return { name: 'message', title, data: { message: text, link } }
}

/**
 * Adds the id of the request to the page of a refusal. The audit log can be searched for this id.
 */
export function withRequest(content: Message, requestId: string | undefined): Message {
  return { ...content, data: { ...content.data, requestId } }
}

export const notFoundPage: Content = {
  ...messagePage('There is no such page', 'It may have been removed, or you may not see it.'),
  status: 404,
}

export const loggedOutPage: Content = {
  ...messagePage(
    'You are not logged in',
    'Your session has ended, or you are no operator any more.',
    {
      href: paths.login,
      label: 'Log in',
    },
  ),
  status: 403,
}

export const forgedPage: Content = {
  ...messagePage(
    'The form is out of date',
    'It was not sent from a page of this session. Open the page again and repeat it.',
  ),
  status: 403,
}

export const goneForm: Content = {
  ...messagePage(
    'The form is kept no longer',
    'It was used, or is older than ten minutes. Open its page again and repeat it.',
  ),
  status: 404,
}
