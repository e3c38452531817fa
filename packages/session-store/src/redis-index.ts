import type { SessionIndex } from '@latchkey/core'
import { type RecordSeal, sessionName } from './record-seal.ts'
import type { RedisCommands } from './redis-commands.ts'
import * as scripts from './scripts.ts'

/**
 * Makes the index: a sorted set of session names under the hidden name of each key. It is added to
 * under the name of the first secret, and looked for under those of all.
 *
 * @param idOf - The id of the session of a name, if there is one now.
 */
export function createRedisIndex(
  commands: RedisCommands,
  sealed: () => RecordSeal,
  idOf: (name: string) => Promise<string | undefined>,
): SessionIndex {
  return {
    async add(keys, id, seconds) {
      const args = [sessionName(id), String(Math.ceil(seconds))]
      const names = keys.map((key) => sealed().keyNames(key)[0])
      await Promise.all(
        names.map((name) => commands.run(scripts.indexAddScript, `i:${name}`, args)),
      )
    },
    async find(key) {
      const sets = await Promise.all(
        sealed()
          .keyNames(key)
          .map((name) => commands.run(scripts.indexFindScript, `i:${name}`)),
      )
      const names = new Set((sets as string[][]).flat().map(String))
      const ids = await Promise.all([...names].map(idOf))
      return ids.filter((id) => id !== undefined)
    },
    async remove(keys, id) {
      const args = [sessionName(id)]
      const names = keys.flatMap((key) => sealed().keyNames(key))
      await Promise.all(
        names.map((name) => commands.run(scripts.indexRemoveScript, `i:${name}`, args)),
      )
    },
  }
}
