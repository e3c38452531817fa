import type { NewUser } from '../../store/ports.ts'
import type { User } from '../../store/records.ts'
import { commitMany, unlessRefused } from '../writes/commit.ts'
import type { Scope } from '../writes/context.ts'
import { alreadyExists } from '../writes/errors.ts'
import { checkNewEmail } from '../writes/rules.ts'
import { passwordCredential } from './credentials.ts'
import type { ImportedLegacyPassword } from './legacy-import.ts'
import { importLegacyPassword } from './legacy-passwords.ts'
import { importPassword } from './passwords.ts'
import { checkUser, createUser, findUser, findUsers, newUser, type UserInput } from './users.ts'

/** The password of an imported user, as the caller sent it. */
export interface ImportedPassword {
  alg: string
  hash: string
}

/** A user to import. */
export interface UserToImport {
  input: UserInput
  password: ImportedPassword | undefined
  /** The legacy password. A user has either a legacy password or a password. */
  legacyPassword?: ImportedLegacyPassword | undefined
}

/**
 * The outcome for an imported user. `existing`: a user with the address exists, and nothing was
 * written. `refused`: the error in `cause` concerns only this user.
 */
export type Imported =
  | { kind: 'created'; user: User }
  | { kind: 'existing'; user: User }
  | { kind: 'refused'; cause: unknown }

/**
 * Creates users with their passwords. A user and the password are created together or not at all.
 * Existing users are returned as such, so an interrupted caller can send all users again.
 *
 * All users are written in one step. Users that this step does not accept are written one at a
 * time, by the rules of {@link createUser} and {@link importPassword}.
 */
export async function importUsers(
  scope: Scope,
  users: readonly UserToImport[],
): Promise<Imported[]> {
  const present = await findUsers(
    scope,
    users.map(({ input }) => input.email),
  ).catch(() => new Map<string, User>())
  const prepared = await Promise.all(users.map((one) => prepare(scope, one, present)))
  const candidates = prepared.filter((one) => one.kind === 'candidate')
  const written = await insertAll(
    scope,
    candidates.map(({ row }) => row),
  )
  return Promise.all(
    prepared.map((one, at): Imported | Promise<Imported> => {
      if (one.kind !== 'candidate') return one
      const { user } = one.row
      if (written.has(user.id)) return { kind: 'created', user }
      return importUser(scope, users[at] as UserToImport, one.row)
    }),
  )
}

type Prepared = Exclude<Imported, { kind: 'created' }> | { kind: 'candidate'; row: Row }

type Row = Omit<NewUser, 'audit'>

async function prepare(
  scope: Scope,
  { input, password, legacyPassword: imported }: UserToImport,
  present: ReadonlyMap<string, User>,
): Promise<Prepared> {
  try {
    checkUser(input)
    // Hashing is expensive, so no password is hashed for an existing user.
    const existing = present.get(input.email)
    if (existing) return { kind: 'existing', user: existing }
    checkNewEmail('"profile.email"', input.email)
    const stored = password && (await importPassword(scope, password.alg, password.hash))
    const user = newUser(scope, input)
    const credential = stored && passwordCredential(scope.context, user, stored)
    const legacyPassword = imported && importLegacyPassword(scope.context, user, imported)
    return { kind: 'candidate', row: { user, credential, legacyPassword } }
  } catch (cause) {
    return { kind: 'refused', cause }
  }
}

/**
 * Inserts the rows in one step, if there are at least two. Returns the ids of the inserted users.
 * The other rows need separate attempts.
 */
async function insertAll(scope: Scope, rows: readonly Row[]): Promise<ReadonlySet<string>> {
  if (rows.length < 2) return new Set()
  return insert(scope, rows).catch(() => new Set())
}

async function insert(scope: Scope, rows: readonly Row[]): Promise<ReadonlySet<string>> {
  const ids = rows.map(({ user }) => user.id)
  const { store } = scope.context
  return commitMany(scope, 'user.create', ids, (audits) =>
    store.users.insertMany(
      scope.tenantId,
      rows.map((row, i) => ({ ...row, audit: audits[i] as NewUser['audit'] })),
    ),
  )
}

/** Imports one user, with the prepared password. */
async function importUser(scope: Scope, { input }: UserToImport, row: Row): Promise<Imported> {
  const { user, credential, legacyPassword } = row
  try {
    // `createUser` takes no legacy password, so the row is inserted by itself.
    if (legacyPassword && (await insert(scope, [row])).has(user.id)) {
      return { kind: 'created', user }
    }
    const created = legacyPassword
      ? undefined
      : await unlessRefused(
          createUser(scope, input, credential && ((one) => ({ ...credential, userId: one.id }))),
          'already_exists',
        )
    if (created) return { kind: 'created', user: created }
    const other = await findUser(scope, input.email)
    // The step for all users was carried out for this one, although its answer was lost.
    if (other?.id === user.id) return { kind: 'created', user: other }
    if (other) return { kind: 'existing', user: other }
    return { kind: 'refused', cause: alreadyExists('user.create') }
  } catch (cause) {
    return { kind: 'refused', cause }
  }
}
