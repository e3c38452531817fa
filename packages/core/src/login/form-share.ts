import { OldestFirst } from '../shared/oldest-first.ts'

/**
 * The space that a form takes in the store besides its text, in bytes: the entry, its key and its
 * lifetime.
 */
const ENTRY_BYTES = 1024

/**
 * The share of the session store that forms of one process may use, so that forms displace no other
 * data.
 */
export interface FormShare {
  /**
   * Adds a form of `bytes` bytes. Returns the ids of the oldest forms, which the caller must remove
   * from the store to stay within the share.
   */
  take(id: string, bytes: number): readonly string[]
}

/**
 * Makes a {@link FormShare}.
 *
 * @param maxBytes - The most bytes that all forms may take together.
 * @param seconds - The seconds for which a form is kept.
 * @param now - Returns the time in seconds.
 */
export function createFormShare(maxBytes: number, seconds: number, now: () => number): FormShare {
  /** The forms, the oldest first. */
  const forms = new OldestFirst<string, { readonly bytes: number; readonly expiresAt: number }>()
  let total = 0
  return {
    take(id, text) {
      const bytes = text + ENTRY_BYTES
      forms.set(id, { bytes, expiresAt: now() + seconds })
      total += bytes
      const gone: string[] = []
      for (let { oldest } = forms; oldest; { oldest } = forms) {
        const hasExpired = oldest.value.expiresAt <= now()
        if (!hasExpired && total <= maxBytes) break
        forms.delete(oldest.key)
        total -= oldest.value.bytes
        if (!hasExpired) gone.push(oldest.key)
      }
      return gone
    },
  }
}
