import type { User } from '../store/records.ts'
import type { Actor, DomainContext } from './context.ts'
import { passwordCredential } from './credentials.ts'
import { ServiceError } from './errors.ts'
import { importPassword } from './passwords.ts'
import { emailKey } from './rules.ts'
import { checkUser, createUser, type UserInput } from './users.ts'

/** The password of an imported user, as the caller sent it. */
export interface ImportedPassword {
  alg: string
  hash: string
}

/** `existing`: somebody has the address already; nothing was written. */
export type Imported = { kind: 'created'; user: User } | { kind: 'existing'; user: User }

/**
 * Creates a user together with a password, both or neither. Importing the same user again finds the
 * one that is there, so a caller that was interrupted sends everything once more.
 *
 * @throws ServiceError as {@link createUser} and {@link importPassword} do.
 */
export async function importUser(
  context: DomainContext,
  actor: Actor,
  tenantId: string,
  input: UserInput,
  password: ImportedPassword | undefined,
): Promise<Imported> {
  checkUser(input)
  const find = () => context.store.users.findByEmail(tenantId, emailKey(input.email))
  // Hashing is the expensive part, so nobody is hashed for who is there already.
  const present = await find()
  if (present) return { kind: 'existing', user: present }

  const stored = password && (await importPassword(context, password.alg, password.hash))
  try {
    const user = await createUser(
      context,
      actor,
      tenantId,
      input,
      stored && ((created) => passwordCredential(context, created, stored)),
    )
    return { kind: 'created', user }
  } catch (error) {
    const isTaken = error instanceof ServiceError && error.code === 'already_exists'
    const other = isTaken ? await find() : undefined
    if (other) return { kind: 'existing', user: other }
    throw error
  }
}
