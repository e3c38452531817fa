import type { Logger } from 'pino'
import { z } from 'zod'
import type { Clock } from './clock.ts'
import type { DomainVerification } from './domain/tenants/domain-names.ts'
import type { PasswordEngineOptions } from './domain/users/password-engine.ts'
import type { ClaimsOf } from './domain/users/users.ts'
import { nearestName } from './domain/writes/nearest-name.ts'
import type { SmtpOptions } from './mail/smtp.ts'
import type { ListenOptions } from './server/http-server.ts'
import type { TlsOptions } from './server/tls.ts'

/** A PostgreSQL that any number of services share. */
export interface DatabaseOptions {
  /** Such as `postgres://latchkey:password@db.internal/latchkey`. */
  url: string
  /**
   * Prepares each statement once per connection. Set `false` behind a PgBouncer older than 1.21 in
   * transaction mode. Default `true`.
   */
  preparedStatements?: boolean
  /** Brings the tables up to date at the start. Default `true`; with `false`, run `latchkey-service migrate`. */
  migrate?: boolean
}

/** The options of an identity service. */
export interface IdentityServiceOptions {
  /** Folder of the SQLite databases, made when it is missing. Default: everything in memory. */
  data?: string | undefined
  /**
   * A PostgreSQL instead of a folder, by its address or with more options: any number of processes serve
   * the same data. Needs `redis` and `masterKey`.
   */
  database?: string | DatabaseOptions | undefined
  /**
   * The Redis or Valkey for sessions, codes and other records that expire, with `database`: `redis://host:6379`,
   * `redis-cluster://host:6379,other:6379` or `redis-sentinel://host:26379/name`; with TLS, `rediss…`.
   */
  redis?: string | undefined
  /**
   * 32 bytes in base64, under which client secrets and signing keys are encrypted. Default: the file
   * `master.key` of the data folder, made at the first start. Required with `database`. Several keys, separated by
   * spaces, rotate it: the first one encrypts, all of them decrypt.
   */
  masterKey?: string | undefined
  /**
   * A file of such keys, one a line, in place of `masterKey`. The first one encrypts, all of them
   * decrypt. When the file changes, everything is encrypted again while the service serves.
   */
  masterKeyFile?: string | undefined
  /**
   * A file of leaked passwords that no user and no operator can choose: their SHA-1 in 40 hexadecimal digits, one a line and in
   * order, as the downloader of Pwned Passwords writes it. It is read from disk, not loaded into memory. Default: the 18,000 most common passwords alone.
   */
  leakedPasswordsFile?: string | undefined
  /**
   * The address that five digits of a hash are appended to, where a tenant has leaked passwords looked for. Default
   * `https://api.pwnedpasswords.com/range/`.
   */
  leakedPasswordsUrl?: string | undefined
  /** Requests that one API key may make per second. Default 100. */
  requestsPerSecond?: number
  /** How many password hashes are computed at a time, and how many may wait. */
  passwords?: PasswordEngineOptions
  /**
   * Serves tenants whose domain is this very machine (`localhost`, `*.localhost`, `127.0.0.1`,
   * `[::1]`) as `http://` issuers. Right for development only. Default `false`.
   */
  allowHttpOnLoopback?: boolean
  /**
   * Lets tenants in developer mode reach private networks, and capture their mail at `/x/outbox` instead
   * of sending it. An API key switches developer mode on, so this is right only where you trust every
   * key with your network and all mail. Default `false`.
   */
  allowDeveloperMode?: boolean
  /**
   * Hosts at which the management API is reached, such as `api.example.com`: no tenant can take them
   * as its domain. Default: none.
   */
  apiHosts?: readonly string[]
  /**
   * Where the management console is served, such as `https://console.example.com`: an origin of its own,
   * which no tenant can have as its domain. Default: there is no console.
   */
  consoleUrl?: string | undefined
  /**
   * `dns`: an API key moves a tenant to another domain only when a TXT record at `_latchkey.<domain>`
   * says `latchkey-tenant=<id of the tenant>`. Right when customers hold keys of their own tenants.
   * Default `none`, for an operator who holds all of them.
   */
  domainVerification?: DomainVerification
  /** How mail is sent. Default: it is captured, to be read from {@link IdentityService.outbox}. */
  mail?: SmtpOptions | undefined
  /**
   * Addresses and networks, such as `10.0.0.0/8`, of the proxies in front of the service. Only
   * their entries in `X-Forwarded-For` are trusted. Default: none.
   */
  trustedProxies?: readonly string[]
  /** Days for which the audit log is kept. Default 400. */
  auditDays?: number
  /** How long {@link IdentityService.close} waits for requests under way, in seconds. Default 10. */
  closeSeconds?: number
  /**
   * More claims for the ID tokens of a user, such as roles that the process around the service keeps.
   * Asked at every login and refresh; claims such as `sub` and `exp` cannot be changed.
   */
  idTokenClaims?: ClaimsOf
  /** The source of the time. Default: the machine's clock. */
  clock?: Clock
  /** Default: a logger that says nothing. */
  logger?: Logger
}

/** A schema for every member of an options type, so that the compiler finds one that is missing. */
type Schemas<Options> = { [Name in keyof Required<Options>]: z.ZodType }

const text = z.string('must be a string').optional()
const flag = z.boolean('must be true or false').optional()
const whole = (least: number): z.ZodType => {
  const mustBe = `must be a whole number, ${least} or more`
  return z.int(mustBe).min(least, mustBe).optional()
}
const positive = z.number('must be a number').positive('must be more than 0').optional()
/** An object of another package or of the application, known by its methods. */
const withMethods = (...names: string[]): z.ZodType =>
  z
    .custom((value) => names.every((name) => typeof Object(value)[name] === 'function'), {
      error: `must have ${names.map((name) => `${name}()`).join(', ')}`,
    })
    .optional()
const group = <Options>(members: Schemas<Options>) =>
  z.strictObject(members, { error: notAnObject })

const serviceOptions = group<IdentityServiceOptions>({
  data: text,
  database: group<DatabaseOptions>({
    url: z.string('must be a string'),
    preparedStatements: flag,
    migrate: flag,
  }).optional(),
  redis: text,
  masterKey: text,
  masterKeyFile: text,
  leakedPasswordsFile: text,
  leakedPasswordsUrl: z.url({ protocol: /^https?$/, error: 'must be an https:// URL' }).optional(),
  requestsPerSecond: positive,
  passwords: group<PasswordEngineOptions>({
    concurrency: whole(1),
    maxWaiting: whole(0),
    memoryKib: whole(1),
  }).optional(),
  allowHttpOnLoopback: flag,
  allowDeveloperMode: flag,
  apiHosts: z.array(z.string(), 'must be an array of strings').optional(),
  consoleUrl: text,
  domainVerification: z.enum(['none', 'dns'], 'must be "none" or "dns"').optional(),
  mail: group<SmtpOptions>({
    url: z.string('must be a string'),
    from: z.string('must be a string'),
  }).optional(),
  trustedProxies: z.array(z.string(), 'must be an array of strings').optional(),
  auditDays: positive,
  closeSeconds: z.number('must be a number').min(0, 'must be 0 or more').optional(),
  idTokenClaims: z.custom((value) => typeof value === 'function', 'must be a function').optional(),
  clock: withMethods('now'),
  logger: withMethods('debug', 'info', 'warn', 'error'),
})

const listenOptions = group<ListenOptions>({
  port: whole(0),
  host: text,
  tls: group<TlsOptions>({ cert: z.unknown(), key: z.unknown() }).optional(),
})

/**
 * Checks the names and types of the options of a service.
 *
 * @throws TypeError listing every fault at once.
 */
export function checkServiceOptions(options: IdentityServiceOptions): void {
  const { database } = options
  const given = typeof database === 'string' ? { ...options, database: { url: database } } : options
  check('createIdentityService()', serviceOptions, given)
}

/**
 * Checks the names and types of the options of `listen()`.
 *
 * @throws TypeError listing every fault at once.
 */
export function checkListenOptions(options: ListenOptions): void {
  check('listen()', listenOptions, options)
}

function check(name: string, schema: z.ZodObject, options: unknown): void {
  const result = schema.safeParse(options)
  if (result.success) return
  const lines = result.error.issues.flatMap((issue) => {
    const option = issue.path.join('.')
    if (issue.code !== 'unrecognized_keys') return [`"${option || 'options'}" ${issue.message}.`]
    const known = namesAt(schema, issue.path)
    const prefix = option && `${option}.`
    return issue.keys.map((key) => `"${prefix}${key}" is not an option.${hint(key, prefix, known)}`)
  })
  throw new TypeError([`${name} cannot use its options:`, ...lines].join('\n  - '))
}

function notAnObject(issue: { code?: string }): string | undefined {
  return issue.code === 'invalid_type' ? 'must be an object' : undefined
}

/** The names of the group of options at a path. */
function namesAt(schema: z.ZodObject, path: readonly PropertyKey[]): string[] {
  let group: unknown = schema
  for (const name of path) {
    const member = (group as z.ZodObject).shape[String(name)]
    group = member instanceof z.ZodOptional ? member.unwrap() : member
  }
  return Object.keys((group as z.ZodObject).shape)
}

function hint(name: string, prefix: string, known: readonly string[]): string {
  const found = nearestName(name, known)
  return found ? ` Did you mean "${prefix}${found}"?` : ''
}
