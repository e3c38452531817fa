/** A note, and its author. */
export interface Note {
  readonly text: string
  /** `you` for the user, or the `client_id` of the agent. */
  readonly by: string
}

/** The notes of all users, in memory. */
export interface Notes {
  /** The notes of a user, the oldest first. */
  of(sub: string): readonly Note[]
  /**
   * Adds a note; the oldest of more than 50 is forgotten.
   *
   * @returns `false` for a text that is empty or has more than 200 characters, which is not added.
   */
  add(sub: string, text: string, by: string): boolean
}

/** Makes an empty store. */
export function createNotes(): Notes {
  const all = new Map<string, readonly Note[]>()
  const of = (sub: string): readonly Note[] => all.get(sub) ?? []
  return {
    of,
    add(sub, text, by) {
      const shown = text.trim()
      if (shown === '' || shown.length > 200) return false
      all.set(sub, [...of(sub), { text: shown, by }].slice(-50))
      return true
    },
  }
}
