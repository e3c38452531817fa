import { expect, test } from 'vitest'
import type { Content } from '../../src/console/pages/index.ts'

test('a page without a member that its template reads does not compile, and neither does a misspelt one', () => {
  const link = { href: '/console', label: 'Back to the overview' } as const
  const page = { name: 'message', title: 'Nothing was chosen' } as const
  const pages: Content[] = [
    { ...page, data: { message: 'Nothing was chosen', link } },
    // @ts-expect-error: the link is missing
    { ...page, data: { message: 'Nothing was chosen' } },
    // @ts-expect-error: the message has another name
    { ...page, data: { messages: 'Nothing was chosen', link } },
    // @ts-expect-error: no template has the name
    { ...page, name: 'messages', data: { message: 'Nothing was chosen', link } },
  ]
  expect(pages).toHaveLength(4)
})
