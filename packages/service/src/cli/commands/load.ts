import { randomBytes } from 'node:crypto'
import { createManagementClient, type ManagementClient } from '@latchkey/management'
import {
  Exit,
  exitCodes,
  type JsonOptions,
  printResult,
  printTable,
  readInput,
  secretOf,
  wholeNumber,
  withJson,
} from '@latchkey/management/command-line'
import { type Command, Option } from 'commander'
import { LoadError, LoadReport, type Operation, rowsOf } from '../load-report.ts'
import { type LoadApplication, type LoadUser, logIn, refresh } from '../load-visitor.ts'
import { nextSignal } from '../signals.ts'

interface LoadOptions extends JsonOptions {
  url?: string
  issuer?: string
  tenant?: string
  clientId?: string
  redirectUri: string
  apiKeyFile?: string
  clientSecretFile?: string
  confirm?: string
  users: number
  concurrency: number
  rate?: number
  seconds: number
  refreshes: number
  apiCalls: number
  networks: number
}

/** The installation under load, and the application whose users log in. */
interface Target {
  readonly connection: { readonly baseUrl: string | undefined; readonly apiKey: string | undefined }
  readonly client: ManagementClient
  readonly tenant: string
  readonly application: LoadApplication
}

/** The time between two lines of progress, in milliseconds. */
const PROGRESS_MILLIS = 5000

/** The timeout of an operation, in milliseconds. */
const OPERATION_MILLIS = 30_000

/** Adds `load`. */
export function addLoadCommand(program: Command): void {
  withJson(program.command('load'))
    .description(
      'Play logins, refreshes and API calls against an installation, with test users that are removed afterwards.',
    )
    .addOption(new Option('--url <url>', 'address of the API').env('LATCHKEY_URL'))
    .addOption(new Option('--issuer <url>', 'issuer of the tenant').env('LATCHKEY_ISSUER'))
    .addOption(new Option('--tenant <id>', 'id of the tenant').env('LATCHKEY_TENANT'))
    .addOption(new Option('--client-id <id>', 'an application').env('LATCHKEY_CLIENT_ID'))
    .option('--redirect-uri <uri>', 'registered there', 'http://localhost:3000/callback')
    .option('--api-key-file <file>', 'the API key (or LATCHKEY_API_KEY)')
    .option('--client-secret-file <file>', 'the client secret (or LATCHKEY_CLIENT_SECRET)')
    .option('--confirm <host>', 'host of the issuer: yes, load this installation')
    .option('--users <number>', 'test users', wholeNumber(1, 10_000), 50)
    .option('--concurrency <number>', 'visitors at a time', wholeNumber(1, 1000), 8)
    .option('--rate <number>', 'logins that begin in a second, at most', wholeNumber(1, 10_000))
    .option('--seconds <number>', 'duration', wholeNumber(1, 86_400), 30)
    .option('--refreshes <number>', 'refreshes after each login', wholeNumber(0, 1000), 2)
    .option('--api-calls <number>', 'API calls after each login', wholeNumber(0, 1000), 2)
    .option(
      '--networks <number>',
      'networks in X-Forwarded-For, where the installation trusts this machine as a proxy (0: none)',
      wholeNumber(0, 10_000),
      0,
    )
    .action(load)
}

async function load(options: LoadOptions): Promise<void> {
  const target = targetOf(options)
  const stop = new AbortController()
  void nextSignal().then((name) => stop.abort(name))
  const users: LoadUser[] = []
  try {
    console.error(`Making ${options.users} test users …`)
    await makeUsers(target, options.users, users, stop.signal)
    const report = new LoadReport()
    const startedAt = performance.now()
    if (!stop.signal.aborted) await play(target, users, options, report, stop.signal)
    const seconds = Math.max((performance.now() - startedAt) / 1000, 0.001)
    const measured = report.result(seconds)
    if (options.json) printResult(measured, options, '')
    else printTable(rowsOf(measured), options)
    const { failed } = report.counts()
    if (stop.signal.aborted) throw new Exit(exitCodes.interrupted, 'Interrupted.')
    if (failed > 0) throw new Exit(exitCodes.faults)
  } finally {
    await removeUsers(target, users)
  }
}

/**
 * Reads and checks all options before anything is sent.
 *
 * @throws {@link Exit} with the code of a usage error.
 */
function targetOf(options: LoadOptions): Target {
  const { issuer, url, tenant, clientId, redirectUri } = options
  const apiKey = secret('LATCHKEY_API_KEY', '--api-key-file', options.apiKeyFile)
  const clientSecret = secret(
    'LATCHKEY_CLIENT_SECRET',
    '--client-secret-file',
    options.clientSecretFile,
  )
  const missing = Object.entries({
    '--url': url,
    '--issuer': issuer,
    '--tenant': tenant,
    '--client-id': clientId,
    'LATCHKEY_API_KEY or --api-key-file': apiKey,
    'LATCHKEY_CLIENT_SECRET or --client-secret-file': clientSecret,
  })
    .filter(([, value]) => !value)
    .map(([name]) => name)
  if (missing.length > 0) throw new Exit(exitCodes.usage, `Missing: ${missing.join(', ')}.`)

  const parsed = URL.parse(issuer ?? '')
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new Exit(exitCodes.usage, `--issuer: "${issuer}" is not an address.`)
  }
  if (options.confirm !== parsed.host) {
    throw new Exit(
      exitCodes.usage,
      `This creates test users at ${parsed.host}, and sends as many requests as it can. If the installation is yours, add --confirm ${parsed.host}.`,
    )
  }
  const connection = { baseUrl: url, apiKey }
  return {
    connection,
    client: createManagementClient(connection),
    tenant: tenant ?? '',
    application: {
      issuer: parsed.origin,
      clientId: clientId ?? '',
      clientSecret: clientSecret ?? '',
      redirectUri,
    },
  }
}

/**
 * A secret from the environment or a file; `undefined` if neither is given. No option takes the
 * secret itself, because other users of the machine can see arguments.
 *
 * @throws {@link Exit} if both are given, or the file is empty.
 */
function secret(variable: string, option: string, file: string | undefined): string | undefined {
  const given = secretOf(variable)
  if (file === undefined) return given
  if (given) throw new Exit(exitCodes.usage, `Give ${variable} or ${option}, not both.`)
  const text = readInput(file, option)
    .toString()
    .replace(/\r?\n$/, '')
  if (text === '') throw new Exit(exitCodes.usage, `${option}: ${file} is empty.`)
  return text
}

/**
 * Creates users with verified addresses and random passwords. Each user is added to `users` at
 * once, so that the user is removed even after a failure.
 */
async function makeUsers(
  { client, tenant }: Target,
  count: number,
  users: LoadUser[],
  signal: AbortSignal,
): Promise<void> {
  const run = randomBytes(6).toString('hex')
  const accounts = client.users(tenant)
  for (let n = 0; n < count && !signal.aborted; n++) {
    const email = `load-${run}-${n}@example.invalid`
    const password = randomBytes(18).toString('base64url')
    const { id } = await accounts.create({ profile: { email, email_verified: true } })
    users.push({ id, email, password })
    await client.credentials(tenant, id).create({ password: { alg: 'plain', hash: password } })
  }
}

async function removeUsers({ client, tenant }: Target, users: readonly LoadUser[]): Promise<void> {
  if (users.length === 0) return
  console.error(`Removing ${users.length} test users …`)
  const left: string[] = []
  for (const { id, email } of users) {
    await client
      .users(tenant)
      .delete(id)
      .catch(() => left.push(email))
  }
  if (left.length === 0) return
  const [first = ''] = left
  console.error(
    `${left.length} test users could not be removed. Delete those whose address begins with ${first.replace(/\d+@.*/, '')}.`,
  )
}

/**
 * Simulates visitors for `seconds`, then completes the visits in progress. If `signal` is aborted,
 * these visits are canceled.
 */
async function play(
  { connection, tenant, application }: Target,
  users: readonly LoadUser[],
  { concurrency, rate, seconds, refreshes, apiCalls, networks }: LoadOptions,
  report: LoadReport,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now()
  const passed = (): number => (performance.now() - startedAt) / 1000
  const progress = setInterval(() => {
    const { done, failed } = report.counts()
    console.error(`${Math.round(passed())} s: ${done} operations, ${failed} failed`)
  }, PROGRESS_MILLIS)
  // This client makes no retries, so that each refusal is measured.
  const accounts = createManagementClient({ ...connection, retries: 0 }).users(tenant)
  const measure = <Result>(
    operation: Operation,
    run: (limit: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(OPERATION_MILLIS)])
    return report.measure(operation, () => run(limit), signal)
  }
  let next = 0
  const visit = async (): Promise<void> => {
    const n = next++
    if (rate !== undefined) await pause(n / rate - passed(), signal)
    if (signal.aborted || passed() >= seconds) return
    const user = users[n % users.length] as LoadUser
    const headers = networks > 0 ? { 'x-forwarded-for': networkOf(n % networks) } : {}
    let token = await measure('login', (limit) => logIn(application, user, headers, limit))
    for (let i = 0; i < refreshes && token !== undefined && !signal.aborted; i++) {
      const spent: string = token
      token = await measure('refresh', (limit) => refresh(application, spent, limit))
    }
    for (let i = 0; i < apiCalls && !signal.aborted; i++) {
      await measure('api', () => accounts.get(user.id).catch(refused))
    }
  }
  try {
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (!signal.aborted && passed() < seconds) await visit()
      }),
    )
  } finally {
    clearInterval(progress)
  }
}

function refused(error: unknown): never {
  const { status, code } = error as { status?: number; code?: string }
  throw new LoadError(String(code ?? status ?? 'no answer'))
}

/** The n-th address of the range that RFC 2544 (appendix C.2.2) reserves for benchmarks. */
function networkOf(n: number): string {
  return `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  if (seconds <= 0 || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
