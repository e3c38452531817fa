/**
 * The roles of each user. The application owns its roles; here they are a list, elsewhere a table
 * with the user's `sub` as its key.
 */
const rolesByEmail: Readonly<Record<string, readonly string[]>> = {
  'ada@example.com': ['author', 'editor'],
  'grace@example.com': ['author'],
}

/** The roles of a user. An address that is not verified may be anybody's, so it has none. */
export function rolesOf(user: Readonly<Record<string, unknown>>): readonly string[] {
  const { email, email_verified: isVerified } = user
  return (isVerified === true && rolesByEmail[String(email)]) || []
}
