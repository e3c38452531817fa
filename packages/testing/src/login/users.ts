import { createHash } from 'node:crypto'
import type { DescribeLoginOptions } from './application.ts'

/** The claims of a user, as the provider has them. */
export type TestUser = Readonly<Record<string, unknown>> & { readonly sub: string }

/** The two users whom the application knows. */
export interface TestUsers {
  readonly first: TestUser
  readonly second: TestUser
}

const ADA = { sub: 'ada', name: 'Ada', email: 'ada@example.com', email_verified: true }

/**
 * The users of the options. The second one has the claims of the first, such as roles, but another
 * id, name and email address, if the first has one.
 */
export function usersOf({ user, secondUser }: DescribeLoginOptions): TestUsers {
  const first = { ...ADA, ...user }
  // The page of the second user must not contain the id of the first.
  const sub = `second-${createHash('sha256').update(first.sub).digest('hex').slice(0, 16)}`
  const [name, domain = 'example.com'] = String(first.email).split('@')
  const email = first.email === undefined ? undefined : `${name}.second@${domain}`
  return { first, second: { ...first, sub, name: 'Bob', email, ...secondUser } }
}

/** The text by which a page shows who a user is: the email address, or the id of one without. */
export function shownText({ email, sub }: TestUser): string {
  return String(email ?? sub)
}

/**
 * Whether the users can be told apart by the application and by the page that it shows. The text of
 * the first must not be a part of the second's.
 */
export function areDistinct({ first, second }: TestUsers): boolean {
  return first.sub !== second.sub && !shownText(second).includes(shownText(first))
}
