import { type Command, Option } from 'commander'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'
import { json } from '../command-line/output.ts'
import { SecretOption } from '../command-line/secrets.ts'
import { oneLine, printableJson } from '../command-line/terminal.ts'
import { type Finding, runChecks } from '../doctor/checks.ts'
import { type Decision, decideOptions, decideWithout } from '../doctor/decide-options.ts'
import { findProvider } from '../doctor/find-provider.ts'
import { createHttpFetch } from './http-fetch.ts'
import { connect, requireUrl, tenantOf } from './options.ts'
import { type OutputOptions, withOutput } from './output.ts'

interface DoctorOptions extends OutputOptions {
  issuer?: string
  baseUrl?: string
  callback: string
  redisUrl?: string
  clientId?: string
  clientSecret?: string
  url?: string
  apiKey?: string
  tenant?: string
}

/** Adds `doctor`. */
export function addDoctorCommand(program: Command): void {
  withOutput(program.command('doctor'))
    .description(
      'Check an installation, and say for each fault what to do. With an address: print the options for that provider.',
    )
    .argument('[address]', 'an issuer or discovery address, to print the options for')
    .addOption(new Option('--issuer <url>', 'the OpenID provider').env('LATCHKEY_ISSUER'))
    .addOption(
      new Option('--base-url <url>', 'the public address of the application').env(
        'LATCHKEY_BASE_URL',
      ),
    )
    .option('--callback <path>', 'route that receives the user after a login', '/callback')
    .addOption(new Option('--client-id <id>', 'the application').env('LATCHKEY_CLIENT_ID'))
    .addOption(
      new SecretOption(
        '--client-secret <secret>',
        'its secret, which the provider is asked about',
      ).env('LATCHKEY_CLIENT_SECRET'),
    )
    .addOption(new SecretOption('--redis-url <url>', 'where sessions are').env('REDIS_URL'))
    .addOption(new Option('--url <url>', 'the API, to look up the application').env('LATCHKEY_URL'))
    .addOption(new SecretOption('--api-key <key>', 'a secret API key').env('LATCHKEY_API_KEY'))
    .addOption(new Option('--tenant <id>', 'the tenant').env('LATCHKEY_TENANT'))
    .addHelpText(
      'after',
      '\nExamples:\n  latchkey doctor --issuer https://login.example.com --base-url https://shop.example\n  latchkey doctor https://login.example.com',
    )
    .action((address: string | undefined, options: DoctorOptions) =>
      address === undefined ? doctor(options) : decide(address, options),
    )
}

async function doctor(options: DoctorOptions): Promise<void> {
  const { url, apiKey, clientId, issuer = '', baseUrl = '' } = options
  for (const [name, value] of Object.entries({ '--issuer': issuer, '--base-url': baseUrl })) {
    if (value === '')
      throw new Exit(exitCodes.usage, `error: required option '${name} <url>' not specified`)
    requireUrl(name, value)
  }
  if (options.redisUrl) requireUrl('--redis-url', options.redisUrl, ['redis:', 'rediss:'])
  const readApplication =
    url && apiKey && clientId
      ? async () => {
          const client = connect({ url, apiKey, timeout: 10 })
          const tenant = await tenantOf(client, { url, apiKey, timeout: 10, ...options })
          return client.applications(tenant).get(clientId)
        }
      : undefined
  const installation = { ...options, issuer, baseUrl }
  const findings = await runChecks({ ...installation, fetch: createHttpFetch(), readApplication })
  if (options.output === 'table') for (const finding of findings) console.log(line(finding))
  else if (options.output === 'json') console.log(json(findings))
  else for (const finding of findings) console.log(printableJson(JSON.stringify(finding)))
  if (findings.some(({ state }) => state === 'fault')) throw new Exit(exitCodes.faults)
}

/** Looks up the provider at an address, and prints the options that an application needs for it. */
async function decide(address: string, { output }: OutputOptions): Promise<void> {
  const text = address.includes('://') ? address : `https://${address}`
  requireUrl('The address', text)
  const asked = new URL(text)
  const { found, tried } = await findProvider(asked, createHttpFetch())
  const decision = found ? decideOptions(asked, found) : decideWithout(asked, tried)
  if (output === 'json') console.log(json(decision))
  else if (output === 'ndjson') console.log(printableJson(JSON.stringify(decision)))
  else printDecision(decision)
  if (decision.findings.some(({ state }) => state === 'fault')) throw new Exit(exitCodes.faults)
}

function printDecision({ findings, options, page }: Decision): void {
  for (const finding of findings) console.log(line(finding))
  const lines = Object.entries(options).map(([name, code]) => `  ${name}: ${oneLine(code)},`)
  if (lines.length > 0) console.log(`\ncreateAuthRouter({\n${lines.join('\n')}\n})`)
  if (page) console.log(`\nRead docs/providers/${page}.md, which says what is different there.`)
}

function line({ state, check, found, remedy }: Finding): string {
  const mark = { ok: '✓', fault: '✗', skipped: '-' }[state]
  return `${mark} ${check}: ${oneLine(found)}${remedy ? `\n    ${oneLine(remedy)}` : ''}`
}
