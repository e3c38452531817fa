import { type Command, Option } from 'commander'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'
import { json } from '../command-line/output.ts'
import { oneLine, printableJson } from '../command-line/terminal.ts'
import { type Finding, runChecks } from '../doctor/checks.ts'
import { createHttpFetch } from './http-fetch.ts'
import { connect, requireUrl, tenantOf } from './options.ts'
import { type OutputOptions, withOutput } from './output.ts'

interface DoctorOptions extends OutputOptions {
  issuer: string
  baseUrl: string
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
    .description('Check an installation, and say for each fault what to do.')
    .addOption(
      new Option('--issuer <url>', 'the OpenID provider')
        .env('LATCHKEY_ISSUER')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--base-url <url>', 'the public address of the application')
        .env('LATCHKEY_BASE_URL')
        .makeOptionMandatory(),
    )
    .option('--callback <path>', 'route that receives the user after a login', '/callback')
    .addOption(new Option('--client-id <id>', 'the application').env('LATCHKEY_CLIENT_ID'))
    .addOption(
      new Option('--client-secret <secret>', 'its secret, which the provider is asked about').env(
        'LATCHKEY_CLIENT_SECRET',
      ),
    )
    .addOption(new Option('--redis-url <url>', 'where sessions are').env('REDIS_URL'))
    .addOption(new Option('--url <url>', 'the API, to look up the application').env('LATCHKEY_URL'))
    .addOption(new Option('--api-key <key>', 'a secret API key').env('LATCHKEY_API_KEY'))
    .addOption(new Option('--tenant <id>', 'the tenant').env('LATCHKEY_TENANT'))
    .addHelpText(
      'after',
      '\nExample:\n  latchkey doctor --issuer https://login.example.com --base-url https://shop.example',
    )
    .action(doctor)
}

async function doctor(options: DoctorOptions): Promise<void> {
  const { url, apiKey, clientId } = options
  requireUrl('--issuer', options.issuer)
  requireUrl('--base-url', options.baseUrl)
  if (options.redisUrl) requireUrl('--redis-url', options.redisUrl, ['redis:', 'rediss:'])
  const readApplication =
    url && apiKey && clientId
      ? async () => {
          const client = connect({ url, apiKey, timeout: 10 })
          const tenant = await tenantOf(client, { url, apiKey, timeout: 10, ...options })
          return client.applications(tenant).get(clientId)
        }
      : undefined
  const findings = await runChecks({ ...options, fetch: createHttpFetch(), readApplication })
  if (options.output === 'table') for (const finding of findings) console.log(line(finding))
  else if (options.output === 'json') console.log(json(findings))
  else for (const finding of findings) console.log(printableJson(JSON.stringify(finding)))
  if (findings.some(({ state }) => state === 'fault')) throw new Exit(exitCodes.faults)
}

function line({ state, check, found, remedy }: Finding): string {
  const mark = { ok: '✓', fault: '✗', skipped: '-' }[state]
  return `${mark} ${check}: ${oneLine(found)}${remedy ? `\n    ${oneLine(remedy)}` : ''}`
}
