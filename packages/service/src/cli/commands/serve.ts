import { readInput, SecretOption, wholeNumber } from '@latchkey/management/command-line'
import { type Command, Option } from 'commander'
import type { DomainVerification } from '../../domain/tenants/domain-names.ts'
import type { SmtpOptions } from '../../mail/smtp.ts'
import type { TlsOptions } from '../../server/tls.ts'
import { commaSeparated, type DataOptions, databaseOf, withDataOptions } from '../options.ts'
import { createLogger } from '../running.ts'
import { ignoreServiceLinks } from '../service-links.ts'
import { nextSignal } from '../signals.ts'
import { consoleUrlOption } from './operator.ts'

interface ServeOptions extends DataOptions {
  redis?: string
  migrate: boolean
  port: number
  host: string
  tlsCert?: string
  tlsKey?: string
  leakedPasswordsFile?: string
  leakedPasswordsUrl?: string
  rateLimit: number
  auditDays: number
  drainSeconds: number
  closeSeconds: number
  logLevel: string
  metricsPort?: number
  metricsHost: string
  smtpUrl?: string
  mailFrom?: string
  trustedProxy?: string[]
  apiHost?: string[]
  consoleUrl?: string
  domainVerification: DomainVerification
  allowDeveloperMode: boolean
}

/** Adds `serve`. */
export function addServeCommand(program: Command): void {
  const command = withDataOptions(
    program.command('serve').description('Serve the API and the logins of all tenants.'),
  )
  addStoreOptions(command)
  addListenerOptions(command)
  addLimitOptions(command)
  addMailOptions(command)
  addHostOptions(command)
  addMonitoringOptions(command)
  command.action(serve)
  ignoreServiceLinks(program)
}

/** Adds the options of Redis, and of migrations of the database. */
function addStoreOptions(command: Command): void {
  command
    .addOption(
      new SecretOption(
        '--redis <url>',
        'Redis or Valkey, beside --database: redis://host:6379, redis-cluster://…, redis-sentinel://…',
      ).env('LATCHKEY_REDIS'),
    )
    .addOption(
      new Option('--no-migrate', 'leave the tables of --database to "latchkey-service migrate"'),
    )
}

/** Adds the options of the listening address and of TLS. */
function addListenerOptions(command: Command): void {
  command
    .addOption(
      new Option('--port <number>', 'port; 0 takes a free one')
        .env('LATCHKEY_PORT')
        .default(4400)
        .argParser(wholeNumber(0, 65_535)),
    )
    .addOption(
      new Option('--host <address>', 'address; 0.0.0.0 for every network of the machine')
        .env('LATCHKEY_HOST')
        .default('127.0.0.1'),
    )
    .addOption(
      new Option('--tls-cert <file>', 'serve https: the certificate and its chain, in PEM').env(
        'LATCHKEY_TLS_CERT',
      ),
    )
    .addOption(
      new Option('--tls-key <file>', 'the private key of --tls-cert, in PEM').env(
        'LATCHKEY_TLS_KEY',
      ),
    )
}

/** Adds the options of leaked passwords, the rate limit, the audit log and a shutdown. */
function addLimitOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--leaked-passwords-file <file>',
        'SHA-1 of leaked passwords that are refused, one a line and in order',
      ).env('LATCHKEY_LEAKED_PASSWORDS_FILE'),
    )
    .addOption(
      new Option(
        '--leaked-passwords-url <url>',
        'where tenants that want it have leaked passwords looked for; default Pwned Passwords',
      ).env('LATCHKEY_LEAKED_PASSWORDS_URL'),
    )
    .addOption(
      new Option('--rate-limit <number>', 'requests per second that one API key may make')
        .env('LATCHKEY_RATE_LIMIT')
        .default(100)
        .argParser(wholeNumber(1, 1_000_000)),
    )
    .addOption(
      new Option('--audit-days <number>', 'days for which the audit log is kept')
        .env('LATCHKEY_AUDIT_DAYS')
        .default(400)
        .argParser(wholeNumber(1, 100_000)),
    )
    .addOption(
      new Option(
        '--drain-seconds <number>',
        'how long /x/ready fails after SIGTERM, before a shutdown refuses new requests',
      )
        .env('LATCHKEY_DRAIN_SECONDS')
        .default(5)
        .argParser(wholeNumber(0, 3_600)),
    )
    .addOption(
      new Option('--close-seconds <number>', 'how long a shutdown waits for requests under way')
        .env('LATCHKEY_CLOSE_SECONDS')
        .default(10)
        .argParser(wholeNumber(0, 3_600)),
    )
}

/** Adds the options of mail. */
function addMailOptions(command: Command): void {
  command
    .addOption(
      new SecretOption('--smtp-url <url>', 'mail server, such as smtp://user:pass@host:587').env(
        'LATCHKEY_SMTP_URL',
      ),
    )
    .addOption(
      new Option('--mail-from <address>', 'sender of all mail; needed with --smtp-url').env(
        'LATCHKEY_MAIL_FROM',
      ),
    )
}

/** Adds the options for trusted proxies, hosts, the console, domains and developer mode. */
function addHostOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--trusted-proxy <network...>',
        'proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8',
      )
        .env('LATCHKEY_TRUSTED_PROXY')
        .argParser(commaSeparated),
    )
    .addOption(
      new Option(
        '--api-host <host...>',
        'hosts of the API, such as api.example.com, which no tenant can take as its domain',
      )
        .env('LATCHKEY_API_HOST')
        .argParser(commaSeparated),
    )
    .addOption(
      consoleUrlOption(
        'serve the management console at this origin, such as https://console.example.com',
      ),
    )
    .addOption(
      new Option(
        '--domain-verification <how>',
        'what an API key needs to move a tenant to another domain: "dns" asks for a TXT record',
      )
        .env('LATCHKEY_DOMAIN_VERIFICATION')
        .default('none')
        .choices(['none', 'dns']),
    )
    .addOption(
      // This option has no environment variable: commander takes every value, even "false", as
      // true.
      new Option(
        '--allow-developer-mode',
        'open private networks and the outbox page to tenants in developer mode',
      ).default(false),
    )
}

/** Adds the options of the metrics and the log. */
function addMonitoringOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--metrics-port <number>',
        'serve /x/metrics for Prometheus at this port; 0 takes a free one (default: no metrics)',
      )
        .env('LATCHKEY_METRICS_PORT')
        .argParser(wholeNumber(0, 65_535)),
    )
    .addOption(
      new Option('--metrics-host <address>', 'address of --metrics-port')
        .env('LATCHKEY_METRICS_HOST')
        .default('127.0.0.1'),
    )
    .addOption(
      new Option('--log-level <level>', 'debug logs every request')
        .env('LATCHKEY_LOG_LEVEL')
        .default('info')
        .choices(['debug', 'info', 'warn', 'error', 'silent']),
    )
}

async function serve(options: ServeOptions): Promise<void> {
  const tls = tlsOptions(options)
  const mail = mailOptions(options)
  // Imported here, so that the other commands need not load an OpenID provider.
  const { createIdentityService } = await import('../../service.ts')
  const logger = createLogger(options.logLevel)
  const service = await createIdentityService({
    data: options.data,
    database: databaseOf(options, { migrate: options.migrate }),
    redis: options.redis,
    masterKey: options.masterKey,
    masterKeyFile: options.masterKeyFile,
    leakedPasswordsFile: options.leakedPasswordsFile,
    leakedPasswordsUrl: options.leakedPasswordsUrl,
    requestsPerSecond: options.rateLimit,
    auditDays: options.auditDays,
    closeSeconds: options.closeSeconds,
    mail,
    trustedProxies: options.trustedProxy ?? [],
    apiHosts: options.apiHost ?? [],
    consoleUrl: options.consoleUrl,
    domainVerification: options.domainVerification,
    allowDeveloperMode: options.allowDeveloperMode,
    logger,
  })
  let drainSeconds = 0
  try {
    if (options.metricsPort !== undefined) {
      const where = { port: options.metricsPort, host: options.metricsHost }
      logger.info(await service.listenForMetrics(where), 'serving metrics')
    }
    const { address, port } = await service.listen({
      port: options.port,
      host: options.host,
      tls,
    })
    // From here on, a signal shuts the service down gracefully.
    const stopped = nextSignal()
    logger.info({ address, port, tls: tls !== undefined }, 'listening')
    const signal = await stopped
    // Ctrl-C comes from a terminal, where there is no load balancer to wait for.
    if (signal === 'SIGTERM') drainSeconds = options.drainSeconds
    logger.info({ signal, drainSeconds }, 'closing')
  } finally {
    await service.close({ drainSeconds })
  }
}

function tlsOptions({ tlsCert, tlsKey }: ServeOptions): TlsOptions | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined) throw new Error('--tls-key needs --tls-cert, its certificate.')
  if (tlsKey === undefined) throw new Error('--tls-cert needs --tls-key, its private key.')
  return { cert: readInput(tlsCert, '--tls-cert'), key: readInput(tlsKey, '--tls-key') }
}

function mailOptions({ smtpUrl, mailFrom }: ServeOptions): SmtpOptions | undefined {
  if (smtpUrl === undefined) return undefined
  if (mailFrom === undefined)
    throw new Error('--smtp-url needs --mail-from, the sender of all mail.')
  return { url: smtpUrl, from: mailFrom }
}
