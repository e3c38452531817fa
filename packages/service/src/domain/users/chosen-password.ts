import { createHash } from 'node:crypto'
import { emailKey } from '../../store/email-key.ts'
import type { Tenant, TenantSettings, User } from '../../store/records.ts'
import { passwordPolicy } from '../ways/password-policy.ts'
import type { DomainContext } from '../writes/context.ts'
import { isWhole } from '../writes/rules.ts'
import { loadCommonPasswords } from './common-passwords.ts'

/** The reason why a chosen password is refused. */
export type PasswordProblem =
  | 'short'
  | 'long'
  | 'common'
  | 'leaked'
  | 'email'
  | 'name'
  | 'character'

/**
 * The person who chooses a password, and the tenant. Passwords made of the person's or the tenant's
 * names are refused, because others know these names.
 */
export interface Chooser extends Pick<User, 'email' | 'profile'> {
  tenant: Pick<Tenant, 'id' | 'name' | 'metadata'> & {
    settings: Pick<TenantSettings, 'companyName' | 'domain'>
  }
}

/**
 * The minimum number of different characters in a password. Attackers guess passwords with fewer,
 * such as `aaaaaaaa` or eight spaces, first.
 */
const MIN_DIFFERENT = 4

/** The maximum number of bytes that bcrypt reads. */
const MAX_BYTES = 72

/**
 * The minimum number of letters of a name that is searched for in passwords. Shorter names occur in
 * too many good passwords.
 */
const MIN_NAME_CHARACTERS = 3

/** The names of this product, with which operators often begin a password. */
const PRODUCT = ['', ' service', ' console'].map((part) => `latchkey${part}`)

/** The claims that name a person. */
const NAME_CLAIMS = ['name', 'given_name', 'family_name', 'nickname', 'preferred_username']

/**
 * Checks a password that a user chose, by the rules of all tenants and the policy of this tenant.
 * Returns the problem; `undefined` if the password is accepted.
 */
export async function judgePassword(
  context: Pick<DomainContext, 'leaks'>,
  password: string,
  chooser: Chooser,
): Promise<PasswordProblem | undefined> {
  const { email, tenant } = chooser
  const text = password.normalize('NFC')
  if (isShort(text, tenant)) return 'short'
  if (Buffer.byteLength(text) > MAX_BYTES) return 'long'
  if (!isWhole(text)) return 'character'
  if (emailKey(text) === emailKey(email)) return 'email'
  if (isMadeOf(text, chooser)) return 'name'
  if (new Set(text).size < MIN_DIFFERENT || (await isCommon(text))) return 'common'
  return (await isLeaked(context, text, tenant)) ? 'leaked' : undefined
}

/**
 * Checks a password that a program sets for a user, by the tenant's password policy: the minimum
 * length, and leaked passwords. Without a policy, every password is accepted.
 */
export async function judgeGivenPassword(
  context: Pick<DomainContext, 'leaks'>,
  password: string,
  tenant: Pick<Tenant, 'id' | 'metadata'>,
): Promise<'short' | 'leaked' | undefined> {
  if (!passwordPolicy(tenant).isSet) return undefined
  const text = password.normalize('NFC')
  if (isShort(text, tenant)) return 'short'
  return (await isCommon(text)) || (await isLeaked(context, text, tenant)) ? 'leaked' : undefined
}

function isShort(text: string, tenant: Pick<Tenant, 'metadata'>): boolean {
  return [...text].length < passwordPolicy(tenant).least
}

/**
 * Whether a password was leaked. The operator's list is checked first, because it sends no request.
 */
async function isLeaked(
  { leaks }: Pick<DomainContext, 'leaks'>,
  text: string,
  tenant: Pick<Tenant, 'id' | 'metadata'>,
): Promise<boolean> {
  const sha1 = createHash('sha1').update(text).digest('hex').toUpperCase()
  if (await leaks.isListed(sha1)) return true
  return passwordPolicy(tenant).asksRanges && (await leaks.isInRanges(tenant.id, sha1))
}

/**
 * Whether a password is among the most common leaked passwords. Characters around it that are
 * neither letters nor digits are ignored.
 */
async function isCommon(text: string): Promise<boolean> {
  const known = await loadCommonPasswords()
  const lower = text.toLowerCase()
  return known.has(lower) || known.has(lower.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
}

/**
 * Whether the letters of a password are a name of the person, the tenant or the product. Digits and
 * other characters in the password do not count.
 */
function isMadeOf(password: string, { email, profile, tenant }: Chooser): boolean {
  const { companyName, domain } = tenant.settings
  const localPart = email.trim().split('@')[0] ?? ''
  const whole = [localPart, tenant.name, companyName]
  const claims = NAME_CLAIMS.map((claim) => profile[claim] ?? '')
  const parts = [...claims, companyName].flatMap((name) => name.split(/\s+/))
  const labels = domain.split('.')
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
