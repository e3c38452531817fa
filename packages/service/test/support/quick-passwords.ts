import { hash, verify } from '@node-rs/bcrypt'
import {
  createPasswordEngine,
  type PasswordEngine,
} from '../../src/domain/users/password-engine.ts'

/** The least work that bcrypt can be asked for: under a millisecond, where the standard cost takes fifty. */
const LEAST_COST = 4

const NO_PASSWORD = '$2b$04$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'

/** bcrypt at the least cost, for tests that are about something else than hashing. */
export const quickPasswords: PasswordEngine = {
  ...createPasswordEngine(),
  dummyHash: NO_PASSWORD,
  hash: (text) => hash(text, { cost: LEAST_COST }),
  verify: (text, encoded) => verify(text, encoded),
  makeUp: async () => {},
}
