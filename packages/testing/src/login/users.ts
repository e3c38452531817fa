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
 * id, name and email address.
 */
export function usersOf({ user, secondUser }: DescribeLoginOptions): TestUsers {
  const first = { ...ADA, ...user }
  const [name, domain = 'example.com'] = String(first.email ?? 'ada').split('@')
  const derived = { sub: `${first.sub}-second`, name: 'Bob', email: `${name}.second@${domain}` }
  return { first, second: { ...first, ...derived, ...secondUser } }
}

/**
 * Whether the users can be told apart by the application and by the page that it shows. The address
 * of the first must not be a part of the second's.
 */
export function areDistinct({ first, second }: TestUsers): boolean {
  const isPart = first.email !== undefined && String(second.email).includes(String(first.email))
  return first.sub !== second.sub && !isPart
}
