import { randomBytes } from 'node:crypto'
import type { RecordSeal } from './record-seal.ts'
import type { RedisCommands } from './redis-commands.ts'
import { claimScript, releaseScript } from './scripts.ts'
import type { ManagedSessionStore } from './session-store.ts'

/** The replay cache and the locks, by which processes coordinate. */
type RedisOnce = Pick<ManagedSessionStore, 'once' | 'lock'>

/**
 * Creates the replay cache and the locks of a store. While secrets are rotated, a key has a name
 * for each secret, and all its names are claimed. So processes with the old secret, the new secret
 * or both have at least one name in common.
 */
export function createRedisOnce(commands: RedisCommands, sealed: () => RecordSeal): RedisOnce {
  const claimAll = async (names: string[], token: string, seconds: number): Promise<boolean> => {
    const args = [token, String(Math.ceil(seconds * 1000))]
    for (const name of names) {
      if ((await commands.run(claimScript, name, args)) !== 1) return false
    }
    return true
  }
  const releaseAll = async (names: string[], token: string): Promise<void> => {
    await Promise.all(names.map((name) => commands.run(releaseScript, name, [token])))
  }
  // All processes claim the names in the same order, so that only one of them gets all names.
  const namesOf = (kind: string, key: string): string[] =>
    sealed()
      .keyNames(key)
      .map((name) => `${kind}:${name}`)
      .sort()

  return {
    once: {
      consume: async (key, seconds) => claimAll(namesOf('c', key), newToken(), seconds),
      async isConsumed(key) {
        const held = await Promise.all(namesOf('c', key).map((name) => commands.get(name)))
        return held.some((value) => value !== null)
      },
    },
    lock: {
      async acquire(key, seconds) {
        const names = namesOf('l', key)
        const token = newToken()
        const release = (): Promise<void> => releaseAll(names, token)
        if (await claimAll(names, token, seconds)) return release
        if (names.length > 1) await release()
        return undefined
      },
    },
  }
}

function newToken(): string {
  return randomBytes(16).toString('base64url')
}
