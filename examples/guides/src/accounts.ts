/** The application's own rows about its users, by issuer and sub. */
export interface Account {
  id: number
  sub: string
  email: unknown
  isBanned: boolean
}

const accounts = new Map<string, Account>()

/** Stands for an "insert unless it is there". */
export async function findOrCreateAccount(
  issuer: string,
  user: Readonly<Record<string, unknown>>,
): Promise<Account> {
  const sub = String(user.sub)
  const key = `${issuer} ${sub}`
  const account = accounts.get(key) ?? {
    id: accounts.size + 1,
    sub,
    email: user.email,
    isBanned: user.email === 'mallory@example.com',
  }
  accounts.set(key, account)
  return account
}
