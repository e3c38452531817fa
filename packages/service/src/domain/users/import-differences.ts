import { emailKey } from '../../store/email-key.ts'
import type { User } from '../../store/records.ts'
import type { ImportHistory } from './import-history.ts'
import type { UserToImport } from './import-user.ts'

/** A user of a newer export. */
export interface ExportedUser extends UserToImport {
  /** The id that an earlier import gave the user; `undefined` if the export has none. */
  id: string | undefined
  /** Whether the user is found by email address if there is no id. */
  isByAddress: boolean
  /**
   * Whether the export says which users are disabled. Otherwise, users stay disabled or enabled.
   */
  saysState: boolean
}

/**
 * The reasons why a member keeps its value in the service, although the export has another value.
 */
export const conflictReasons = [
  'changed_here',
  'enabled_here',
  'disabled_here',
  'logged_in_here',
  'address_proved_here',
  'address_taken',
  'deleted_here',
  'signed_up_here',
  'history_gone',
  'needs_second_operator',
] as const

/** One of {@link conflictReasons}. */
export type ConflictReason = (typeof conflictReasons)[number]

/** A member that keeps its value in the service. `holder` is the user who has the address. */
export interface Conflict {
  member: string
  reason: ConflictReason
  holder?: string
}

/** A member of a user that has another value in an export. */
export type Difference =
  | { kind: 'profile' | 'metadata'; name: string; value: string }
  | { kind: 'email' | 'verified' | 'blocked' | 'allowed' }

/** The name of a member in the API and the audit log. */
export function memberOf(difference: Difference): string {
  switch (difference.kind) {
    case 'profile':
    case 'metadata':
      return `${difference.kind}.${difference.name}`
    case 'email':
      return 'profile.email'
    case 'verified':
      return 'profile.email_verified'
    case 'blocked':
    case 'allowed':
      return 'disabled'
  }
}

/**
 * Compares a user with a row of an export. A member that the row lacks is not a difference, so an
 * export with fewer columns removes nothing. A verified address stays verified for the same reason.
 */
export function differencesOf(user: User, { input, saysState }: ExportedUser): Difference[] {
  const found: Difference[] = []
  for (const kind of ['profile', 'metadata'] as const) {
    for (const [name, value] of Object.entries(input[kind])) {
      if (user[kind][name] !== value) found.push({ kind, name, value })
    }
  }
  if (emailKey(input.email) !== user.emailKey) found.push({ kind: 'email' })
  else if (input.emailVerified && user.verifiedAt === undefined) found.push({ kind: 'verified' })
  if (input.disabled && !user.disabled) found.push({ kind: 'blocked' })
  if (saysState && !input.disabled && user.disabled) found.push({ kind: 'allowed' })
  return found
}

/**
 * The reason why a member keeps its value; `undefined` if the export replaces the value. An export
 * does not undo a change made in the service, with one exception. A user who is blocked in the
 * export is disabled, unless an operator has enabled the user after an import disabled it.
 */
export function reasonAgainst(
  difference: Difference,
  history: ImportHistory,
): ConflictReason | undefined {
  if (difference.kind === 'blocked') {
    return history.decision === 'overruled' ? 'enabled_here' : undefined
  }
  if (difference.kind === 'allowed' && history.decision === 'disabled') return 'disabled_here'
  if (history.isSignedUp) return 'signed_up_here'
  if (!history.isWhole) return 'history_gone'
  if (difference.kind === 'allowed') return undefined
  if (difference.kind === 'email' && history.isAddressProved) return 'address_proved_here'
  return history.members.has(memberOf(difference)) ? 'changed_here' : undefined
}
