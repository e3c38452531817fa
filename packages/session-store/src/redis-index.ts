import { SessionEndedError, type SessionIndex, type SessionRecord } from '@latchkey/core'
import { type RecordSeal, sessionName } from './record-seal.ts'
import type { RedisCommands } from './redis-commands.ts'
import * as scripts from './scripts.ts'

/** The operations on sessions that the index needs. */
export interface IndexedSessions {
  get(id: string): Promise<SessionRecord | undefined>
  set(id: string, record: SessionRecord): Promise<void>
  destroy(id: string): Promise<void>
  /**
   * Opens the value that is stored under the name of a session; `undefined` if it is not a valid
   * session.
   */
  open(name: string, value: Buffer): SessionRecord | undefined
  /**
   * Seals a record. Returns the value and its lifetime in milliseconds; `undefined` if the record
   * has expired.
   */
  seal(id: string, record: SessionRecord): { value: Buffer; milliseconds: string } | undefined
  /** The id of the session with a name; `undefined` if there is no such session. */
  idOf(name: string): Promise<string | undefined>
  /** The Redis key of a session, from the name of the session. */
  keyOf(name: string): string
}

/**
 * Creates the index. For each key, it has a sorted set of session names, stored under a hash of the
 * key. A session is added under the hash with the first secret, and found under the hashes with all
 * secrets.
 *
 * One script stores a login with all its index entries, and one script ends a session with all its
 * entries. If the keys are on different servers, a script is run for each key.
 */
export function createRedisIndex(
  commands: RedisCommands,
  sealed: () => RecordSeal,
  sessions: IndexedSessions,
): SessionIndex {
  const addedTo = (keys: readonly string[]): string[] =>
    keys.map((key) => `i:${sealed().keyNames(key)[0]}`)
  const lookedFor = (keys: readonly string[]): string[] =>
    keys.flatMap((key) => sealed().keyNames(key)).map((name) => `i:${name}`)
  const idsOf = async (members: readonly unknown[]): Promise<string[]> => {
    const names = new Set(members.map(String))
    const ids = await Promise.all([...names].map(sessions.idOf))
    return ids.filter((id) => id !== undefined)
  }
  const index = {
    async add(keys: readonly string[], id: string, seconds: number) {
      const args = [sessionName(id), String(Math.ceil(seconds))]
      await Promise.all(
        addedTo(keys).map((name) => commands.run(scripts.indexAddScript, name, args)),
      )
    },
    async find(key: string) {
      const sets = await Promise.all(
        lookedFor([key]).map((name) => commands.run(scripts.indexFindScript, name)),
      )
      return idsOf((sets as Buffer[][]).flat())
    },
    async remove(keys: readonly string[], id: string) {
      const args = [sessionName(id)]
      await Promise.all(
        lookedFor(keys).map((name) => commands.run(scripts.indexRemoveScript, name, args)),
      )
    },
  }
  return {
    ...index,
    async begin(id, record, { keys, seconds }, read) {
      const kept = sessions.seal(id, record)
      const [name, others] = [sessionName(id), read.map(sessionName)]
      const sets = addedTo(keys)
      const answer =
        kept &&
        (await commands.runOnAll(
          scripts.beginAllScript,
          [sessions.keyOf(name), ...sets, ...others.map(sessions.keyOf)],
          [kept.value, kept.milliseconds, name, String(Math.ceil(seconds)), String(sets.length)],
        ))
      if (answer) {
        const [outcome, ...values] = answer
        if (outcome === 0) throw new SessionEndedError()
        return others.map((other, at) => {
          const value = values[at]
          return Buffer.isBuffer(value) ? sessions.open(other, value) : undefined
        })
      }
      await Promise.all([index.add(keys, id, seconds), sessions.set(id, record)])
      return Promise.all(read.map(sessions.get))
    },
    async end(id, keys) {
      const [first, ...others] = keys
      const wanted = lookedFor([first])
      const left = await commands.runOnAll(
        scripts.endAllScript,
        [sessions.keyOf(sessionName(id)), ...wanted, ...lookedFor(others)],
        [sessionName(id), String(wanted.length)],
      )
      if (left) return idsOf(left)
      await sessions.destroy(id)
      await index.remove(keys, id)
      return index.find(first)
    },
  }
}
