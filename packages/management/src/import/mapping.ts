/** The target of a column: a member of the import row, or `profile.x` or `metadata.x`. */
export type Target = string

/**
 * The column names of each target in common systems: in lower case, without `_`, `-` and spaces.
 */
const aliases: Record<string, readonly string[]> = {
  id: [
    'id',
    'oldid',
    'userid',
    'uid',
    'uuid',
    'externalid',
    'localid',
    'pk',
    'sub',
    'benutzerid',
    'nutzerid',
  ],
  email: [
    'email',
    'emailaddress',
    'mail',
    'primaryemailaddress',
    'primaryemail',
    'useremail',
    'profile.email',
    'emailadresse',
    'mailadresse',
  ],
  email_verified: [
    'emailverified',
    'emailconfirmed',
    'verified',
    'isverified',
    'verifiedemailaddresses',
    'profile.emailverified',
    'emailbestätigt',
    'emailverifiziert',
    'bestätigt',
    'verifiziert',
  ],
  verified_at: ['verifiedat', 'emailverifiedat', 'emailconfirmedat'],
  disabled: ['disabled', 'blocked', 'banned', 'isdisabled'],
  enabled: ['enabled', 'active', 'isenabled', 'isactive'],
  'profile.name': ['name', 'fullname', 'displayname', 'anzeigename', 'vollständigername'],
  'profile.family_name': ['familyname', 'lastname', 'surname', 'nachname', 'familienname'],
  'profile.given_name': [
    'givenname',
    'firstname',
    'forename',
    'profile.givenname',
    'profile.firstname',
    'vorname',
  ],
  password: ['password', 'plainpassword', 'passwort', 'kennwort'],
  hash: [
    'hash',
    'passwordhash',
    'hashedpassword',
    'password.hash',
    'passworddigest',
    'encryptedpassword',
    'userpass',
    'passwordencrypted',
    'credentials.password.config.hashedpassword',
  ],
  alg: [
    'alg',
    'algorithm',
    'hashalgorithm',
    'passwordalgorithm',
    'password.alg',
    'passwordhasher',
    'passwordencryptionmethod',
  ],
}

/**
 * The form of a column name that is used in `aliases`. A prefix is removed, because Django and
 * Cognito nest members in an object.
 */
function nameOf(column: string): string {
  const plain = column
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[_\s-]/g, '')
  return plain.replace(/^(fields|attributes)\./, '')
}

/** Whether a column name stands for email addresses. */
export function isEmailName(name: string): boolean {
  return aliases.email?.includes(nameOf(name.trim())) ?? false
}

/** The targets of `--map`, besides `profile.x` and `metadata.x`. */
export const targets: readonly Target[] = Object.keys(aliases)

/** Returns the target of a column; `undefined` if the column is not imported. */
export type Mapping = (column: string) => Target | undefined

/**
 * Creates a mapping of columns. A flag has precedence over the name of the column.
 *
 * @param flags - The column of each target, such as `email` → `login`.
 */
export function createMapping(flags: ReadonlyMap<Target, string>): Mapping {
  const byFlag = new Map([...flags].map(([target, column]) => [column, target]))
  const byName = new Map(
    Object.entries(aliases).flatMap(([target, names]) => names.map((name) => [name, target])),
  )
  const known = new Map<string, Target | undefined>()

  function find(column: string): Target | undefined {
    const flagged = byFlag.get(column)
    if (flagged) return flagged
    const target = byName.get(nameOf(column))
    if (target) return flags.has(target) ? undefined : target
    return /^(profile|metadata)\../.test(column) ? column : undefined
  }

  return (column) => {
    if (!known.has(column)) known.set(column, find(column))
    return known.get(column)
  }
}

/** Whether a target is a part of a password: the password, its hash or the algorithm. */
export function isPasswordTarget(target: Target | undefined): boolean {
  return target === 'password' || target === 'hash' || target === 'alg'
}
