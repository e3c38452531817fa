import { emailKey } from '../../store/email-key.ts'
import type { TenantSettings, User } from '../../store/records.ts'
import { isWhole } from '../writes/rules.ts'
import { loadCommonPasswords } from './common-passwords.ts'

/** Why a password that a user chose is not good enough. */
export type PasswordProblem = 'short' | 'long' | 'common' | 'email' | 'name' | 'character'

/** Names that make a bad password, because others know them. */
export interface Names {
  email: string
  user: User['profile']
  tenant: { name: string } & Pick<TenantSettings, 'companyName' | 'domain'>
}

const MIN_CHARACTERS = 8

/** A row of fewer characters, such as `aaaaaaaa` or eight spaces, is among the first guesses. */
const MIN_DIFFERENT = 4

/** bcrypt reads no further. */
const MAX_BYTES = 72

/** Shorter names are in too many good passwords. */
const MIN_NAME_CHARACTERS = 3

/** The names of this product, which operators think of first. */
const PRODUCT = ['', ' service', ' console'].map((part) => `latchkey${part}`)

/** The claims that name a person. */
const NAME_CLAIMS = ['name', 'given_name', 'family_name', 'nickname', 'preferred_username']

/** Judges a password that a user chose; `undefined` when it is good enough. */
export async function judgePassword(
  password: string,
  names: Names,
): Promise<PasswordProblem | undefined> {
  const text = password.normalize('NFC')
  if ([...text].length < MIN_CHARACTERS) return 'short'
  if (Buffer.byteLength(text) > MAX_BYTES) return 'long'
  if (!isWhole(text)) return 'character'
  if (emailKey(text) === emailKey(names.email)) return 'email'
  if (isMadeOf(text, names)) return 'name'
  if (new Set(text).size < MIN_DIFFERENT || (await isCommon(text))) return 'common'
  return undefined
}

/** Whether a password heads the lists of leaked ones, also with further characters around it. */
async function isCommon(text: string): Promise<boolean> {
  const known = await loadCommonPasswords()
  const lower = text.toLowerCase()
  return known.has(lower) || known.has(lower.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
}

/** Whether a password is a name, also with digits and other characters in or after it. */
function isMadeOf(password: string, { email, user, tenant }: Names): boolean {
  const localPart = email.trim().split('@')[0] ?? ''
  const whole = [localPart, tenant.name, tenant.companyName]
  const claims = NAME_CLAIMS.map((claim) => user[claim] ?? '')
  const parts = [...claims, tenant.companyName].flatMap((name) => name.split(/\s+/))
  const labels = tenant.domain.split('.')
  const letters = lettersOf(password)
  return (
    [...letters].length >= MIN_NAME_CHARACTERS &&
    [...PRODUCT, ...whole, ...claims, ...parts, ...labels].some(
      (name) => lettersOf(name) === letters,
    )
  )
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}]/gu, '')
}
