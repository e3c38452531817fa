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

/** A PostgreSQL database, which any number of processes can share. */
export interface DatabaseOptions {
  /** The URL, such as `postgres://latchkey:password@db.internal/latchkey`. */
  url: string
  /**
   * Whether to prepare each statement once per connection. Set `false` behind a PgBouncer older
   * than 1.21 in transaction mode. Default `true`.
   */
  preparedStatements?: boolean
  /**
   * Whether to migrate the tables at the start. Default `true`. With `false`, run `latchkey-service
   * migrate` yourself.
   */
  migrate?: boolean
}

/** The options of an identity service. */
export interface IdentityServiceOptions {
  /**
   * The folder of the SQLite databases. A missing folder is created. Default: everything is kept in
   * memory.
   */
  data?: string | undefined
  /**
   * A PostgreSQL database instead of the folder `data`: its URL, or an object with more options.
   * Any number of processes can serve the same data. Needs `redis`, and `masterKey` or
   * `masterKeyFile`.
   */
  database?: string | DatabaseOptions | undefined
  /**
   * The URL of the Redis or Valkey server for sessions, codes and other records that expire:
   * `redis://host:6379`, `redis-cluster://host:6379,other:6379` or
   * `redis-sentinel://host:26379/name`; with TLS, `rediss…`. Required with `database`.
   */
  redis?: string | undefined
  /**
   * The key that encrypts client secrets and signing keys: 32 bytes in base64. Default: the file
   * `master.key` in the data folder, created at the first start. Required with `database`. To
   * rotate it, set several keys, separated by spaces: the first one encrypts, all of them decrypt.
   */
  masterKey?: string | undefined
  /**
   * A file with the master keys, one per line, instead of `masterKey`. The first one encrypts, all
   * of them decrypt. When the file changes, the running service encrypts everything again.
   */
  masterKeyFile?: string | undefined
  /**
   * A file of leaked passwords that users and operators cannot choose. It has one SHA-1 hash of 40
   * hexadecimal digits per line, sorted, as the downloader of Pwned Passwords writes it. It is read
   * from disk, not loaded into memory. Default: only the 18,000 most common passwords are refused.
   */
  leakedPasswordsFile?: string | undefined
  /**
   * The URL of the lookup of leaked passwords, for tenants that turn it on. The first five digits
   * of the hash are appended. Default `https://api.pwnedpasswords.com/range/`.
   */
  leakedPasswordsUrl?: string | undefined
  /** The maximum number of requests per second with one API key. Default 100. */
  requestsPerSecond?: number
  /** Limits for computing password hashes. */
  passwords?: PasswordEngineOptions
  /**
   * Whether tenants with a domain of this machine (`localhost`, `*.localhost`, `127.0.0.1`,
   * `[::1]`) are `http://` issuers. For development only. Default `false`.
   */
  allowHttpOnLoopback?: boolean
  /**
   * Whether tenants in developer mode can reach private networks, and have their mail captured at
   * `/x/outbox` instead of sent. Any API key can turn developer mode on. So set it only if you
   * trust every key with your network and all mail. Default `false`.
   */
  allowDeveloperMode?: boolean
  /**
   * The hosts of the management API, such as `api.example.com`. No tenant can take such a host as
   * its domain. Default: none.
   */
  apiHosts?: readonly string[]
  /**
   * The URL of the management console, such as `https://console.example.com`. The console needs an
   * origin of its own, which no tenant can have as its domain. Default: there is no console.
   */
  consoleUrl?: string | undefined
  /**
   * With `dns`, an API key can move a tenant to another domain only if a TXT record at
   * `_latchkey.<domain>` is `latchkey-tenant=<id of the tenant>`. Set `dns` if customers have API
   * keys for their own tenants. Default `none`.
   */
  domainVerification?: DomainVerification
  /**
   * The mail server. Default: mail is not sent but captured; read it from {@link
   * IdentityService.outbox}.
   */
  mail?: SmtpOptions | undefined
  /**
   * The addresses and networks of the proxies in front of the service, such as `10.0.0.0/8`. Only
   * their entries in `X-Forwarded-For` are trusted. Default: none.
   */
  trustedProxies?: readonly string[]
  /** The days for which the audit log is kept. Default 400. */
  auditDays?: number
  /**
   * The seconds that {@link IdentityService.close} waits for requests in progress, and for attempts
   * to send events, mails and logout tokens. Default 10.
   */
  closeSeconds?: number
  /**
   * Returns more claims for the ID tokens of a user, such as roles that your process stores. The
   * function is called at every login and refresh. Claims such as `sub` and `exp` cannot be
   * changed.
   */
  idTokenClaims?: ClaimsOf
  /** The clock, for tests. Default: the system clock. */
  clock?: Clock
  /** The logger (pino). Default: nothing is logged. */
  logger?: Logger
}

/** A schema for every member of an options type. The compiler reports a missing schema. */
type Schemas<Options> = { [Name in keyof Required<Options>]: z.ZodType }

const text = z.string('must be a string').optional()
const flag = z.boolean('must be true or false').optional()
const whole = (least: number): z.ZodType => {
  const mustBe = `must be a whole number, ${least} or more`
  return z.int(mustBe).min(least, mustBe).optional()
}
const positive = z.number('must be a number').positive('must be more than 0').optional()
/** A schema for an object of another package or of the application. It checks only the methods. */
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

/** The names of the options in the group at a path. */
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
