import type { ImportAlgorithm, ManagementClient } from '@latchkey/management'

/** A user of the old system. */
export interface OldUser {
  readonly email: string
  readonly isVerified: boolean
  readonly name: string
  readonly isBlocked: boolean
  readonly password: { alg: ImportAlgorithm; hash: string } | undefined
}

/** The old system's own tables, with a column for the new id of a user. */
export interface OldSystem {
  /** The user as it is now; `undefined` once it is deleted. */
  find(oldId: string): Promise<OldUser | undefined>
  newIdOf(oldId: string): Promise<string | undefined>
  keepNewId(oldId: string, newId: string): Promise<void>
}

/** Passes a user on. */
export async function passOn(
  client: ManagementClient,
  tenantId: string,
  old: OldSystem,
  oldId: string,
  warn: (sentence: string) => void,
): Promise<void> {
  // #region pass-on
  const users = client.users(tenantId)
  const id = await old.newIdOf(oldId)
  const user = await old.find(oldId)

  if (!user) {
    if (id === undefined) return
    await users.delete(id).catch((error) => {
      // An attempt before this one deleted the user.
      if (error.status !== 404) throw error
    })
    return
  }

  const change = {
    id,
    disabled: user.isBlocked,
    profile: { email: user.email, email_verified: user.isVerified, name: user.name },
    ...(user.password && { password: user.password }),
  }
  for await (const result of users.importChanges([change])) {
    if (result.status === 'refused') throw new Error(`User ${oldId}: ${result.detail}`)
    if (id === undefined && result.id !== undefined) await old.keepNewId(oldId, result.id)
    if (!('conflicts' in result)) continue
    for (const { member, reason } of result.conflicts) warn(`User ${oldId}: ${member} ${reason}`)
  }
  // #endregion
}
