/**
 * A member that an update changed, with the value `before` and `after` it as text. An empty value
 * is left out.
 */
export interface AuditChange {
  /** The name of the member, as in `AuditEntry.fields`. */
  readonly name: string
  readonly before?: string | undefined
  readonly after?: string | undefined
}

/** The names and values that belong to an entry of the audit log, from the time of the entry. */
export interface AuditDetails {
  /**
   * The name and the email address of the actor, or the name of the API key. `undefined` for other
   * actors and for a deleted user.
   */
  readonly actor: string | undefined
  /**
   * The name of the target, with its email address, domain or URL if it has one. `undefined` for
   * other targets and for a deleted user.
   */
  readonly target: string | undefined
  /** The changed members, except those with secrets. */
  readonly changes: readonly AuditChange[]
}
