import type { User } from '../store/records.ts'
import { unlessRefused } from './commit.ts'
import type { Scope } from './context.ts'
import { passwordCredential } from './credentials.ts'
import { alreadyExists } from './errors.ts'
import { importPassword } from './passwords.ts'
import { checkUser, createUser, findUser, type UserInput } from './users.ts'

/** The password of an imported user, as the caller sent it. */
export interface ImportedPassword {
  alg: string
  hash: string
}

/** `existing`: another user has the address; nothing was written. */
export type Imported = { kind: 'created'; user: User } | { kind: 'existing'; user: User }

/**
 * Creates a user together with a password, both or neither. Importing the same user again finds the
 * one that is there, so a caller that was interrupted sends everything once more.
 *
 * @throws ServiceError as {@link createUser} and {@link importPassword} do.
 */
export async function importUser(
  scope: Scope,
  input: UserInput,
  password: ImportedPassword | undefined,
): Promise<Imported> {
  checkUser(input)
  const { context } = scope
  // Hashing is the expensive part, so no password is hashed for a user who exists already.
  const present = await findUser(scope, input.email)
  if (present) return { kind: 'existing', user: present }

  const stored = password && (await importPassword(scope, password.alg, password.hash))
  const created = await unlessRefused(
    createUser(scope, input, stored && ((user) => passwordCredential(context, user, stored))),
    'already_exists',
  )
  if (created) return { kind: 'created', user: created }
  const other = await findUser(scope, input.email)
  if (other) return { kind: 'existing', user: other }
  throw alreadyExists('user.create')
}
