import type { PasswordEngine } from '../../../src/domain/users/password-engine.ts'

/** Hashing that costs nothing, for tests that log in often and are about something else. */
export const instantPasswords: PasswordEngine = {
  dummyHash: 'hash of nothing',
  load: { running: 0, waiting: 0 },
  hash: async (text) => `hash of ${text}`,
  makeUp: async () => {},
  run: (work) => work(),
  verify: async (text, stored) => stored === `hash of ${text}`,
}
