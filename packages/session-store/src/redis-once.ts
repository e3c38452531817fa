import { randomBytes } from 'node:crypto'
import type { RecordSeal } from './record-seal.ts'
import type { RedisCommands } from './redis-commands.ts'
import { claimScript, releaseScript } from './scripts.ts'
import type { ManagedSessionStore } from './session-store.ts'

/** The operations with which processes coordinate: things that may happen only once, and locks. */
type RedisOnce = Pick<ManagedSessionStore, 'once' | 'lock'>

/**
 * Makes the replay cache and the locks of a store. While secrets are rotated, a key has a name
 * under each secret, and all of them are claimed. So processes that know the old secret, the new
 * one or both have a name in common.
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
  // In the same order everywhere, so that one of two processes is first at every name.
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
