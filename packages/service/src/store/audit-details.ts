/**
 * A member that an update changed, with the old and new value as text. An empty value is left out.
 */
export interface AuditChange {
  /** The name of the member, as in the `fields` of the entry. */
  readonly name: string
  readonly before?: string | undefined
  readonly after?: string | undefined
}

/** Names and values of an entry of the audit log, as they were when the entry was written. */
export interface AuditDetails {
  /** The name and the address of the actor; the name of an API key. */
  readonly actor: string | undefined
  /** The name of the object, with its address, domain or URL. */
  readonly target: string | undefined
  /** The values of the changed members that are no secrets. */
  readonly changes: readonly AuditChange[]
}
