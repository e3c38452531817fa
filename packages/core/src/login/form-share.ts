/** The space that one form takes beside its text, in bytes: an entry of the store, its key and its lifetime. */
const ENTRY_BYTES = 1024

/** The space that one process gives to kept forms, so that they crowd out nothing else in the store. */
export interface FormShare {
  /** Takes a form in; returns the ids of the oldest forms, which have to go for it. */
  take(id: string, bytes: number): readonly string[]
}

/**
 * Makes a share of the session store.
 *
 * @param maxBytes - The most bytes of all forms together.
 * @param seconds - How long a form is kept.
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
