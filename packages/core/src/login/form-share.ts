/** The space that a form takes in the store besides its text, in bytes: the entry, its key and its lifetime. */
const ENTRY_BYTES = 1024

/** The space of one process for kept forms, limited so that they displace no other data of the store. */
export interface FormShare {
  /** Adds a form. Returns the ids of the oldest forms, which have to be removed for it. */
  take(id: string, bytes: number): readonly string[]
}

/**
 * Makes a share of the session store.
 *
 * @param maxBytes - The bytes of all forms together at most.
 * @param seconds - The seconds for which a form is kept.
 * @param now - The time in seconds.
 */
export function createFormShare(maxBytes: number, seconds: number, now: () => number): FormShare {
  /** The forms, the oldest first. */
  const forms = new Map<string, { readonly bytes: number; readonly expiresAt: number }>()
  let total = 0
  return {
    take(id, text) {
      const bytes = text + ENTRY_BYTES
      forms.set(id, { bytes, expiresAt: now() + seconds })
      total += bytes
      const gone: string[] = []
      for (const [oldest, form] of forms) {
        const hasExpired = form.expiresAt <= now()
        if (!hasExpired && total <= maxBytes) break
        forms.delete(oldest)
        total -= form.bytes
        if (!hasExpired) gone.push(oldest)
      }
      return gone
    },
  }
}
