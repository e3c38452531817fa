import {
  type CommandLine,
  createCommand,
  Exit,
  exitCodes,
  oneOf,
  runCommand,
  wholeNumber,
} from '@latchkey/management/command-line'
import { type Answers, type Provider, providerNames } from './answers.ts'
import { DEFAULT_PORT, writeApplication } from './application.ts'
import { faultOfFolder, faultOfIssuer, faultOfName, faultOfSettings } from './faults.ts'
import {
  type FrameworkName,
  frameworkNames,
  frameworkOf,
  type Language,
  languages,
} from './frameworks.ts'
import { managerOf } from './managers.ts'
import * as questions from './questions.ts'
import { version } from './version.ts'

interface Options {
  framework?: FrameworkName
  language?: Language
  provider?: Provider['name']
  issuer?: string
  clientId?: string
  port: number
  yes?: boolean
}

/**
 * Creates the `create-latchkey` command. Its exit codes are 0 for done, 1 for refused or canceled,
 * and 2 for a usage error.
 */
export function createProgram(): CommandLine {
  const command = createCommand('create-latchkey', version)
    .description('Make a web application with a login. Missing options are asked for.')
    .argument('[folder]', 'a folder that does not exist yet, or is empty')
    .option('--framework <name>', frameworkNames.join(', '), oneOf(frameworkNames))
    .option('--language <name>', languages.join(' or '), oneOf(languages))
    .option(
      '--provider <name>',
      'service (ours, on this machine) or issuer (one that you have)',
      oneOf(providerNames),
    )
    .option('--issuer <url>', 'address of the provider that you have')
    .option('--client-id <id>', 'client that is registered there')
    .option('--port <number>', 'port of the application', wholeNumber(1, 65_535), DEFAULT_PORT)
    .option(
      '--yes',
      'ask nothing: Express, TypeScript and the service, unless options say otherwise',
    )
    .addHelpText('after', help)
    .action((folder: string | undefined, options: Options) => create(folder, options))
  return { run: (args) => runCommand(command, args) }
}

const help = `
Examples:
  npm create latchkey@latest my-app
  npm create latchkey@latest my-app -- --framework koa --language typescript --provider service --yes

LATCHKEY_CLIENT_SECRET is the client secret at the provider that you have; without a terminal, it is not asked for.
Exit codes: 0 done, 1 refused or cancelled, 2 usage error.`

async function create(given: string | undefined, options: Options): Promise<void> {
  checkTogether(options)
  refuse(given === undefined ? undefined : faultOfFolder(given))
  const isAsked = !options.yes
  if (isAsked && !isComplete(given, options) && !process.stdin.isTTY) {
    throw usage(
      'Without a terminal nothing can be asked. Give a folder, --framework, --language and --provider, or --yes.',
    )
  }
  const folder = given ?? (isAsked ? await questions.askForFolder() : 'my-app')
  const answers = await answersFrom(options, isAsked)
  refuse(faultOfFolder(folder) ?? faultOfName(folder, answers) ?? faultOfSettings(answers))

  const manager = managerOf(process.env.npm_config_user_agent)
  writeApplication(folder, answers, manager)
  const cd = folder === '.' ? '' : `  cd ${folder}\n`
  const fill =
    answers.provider.name === 'issuer' &&
    !(answers.provider.clientId && answers.provider.clientSecret)
      ? '\nFirst complete the empty settings in .env; README.md says what to register at your provider.\n'
      : ''
  console.log(`
The application is in ${folder}. Start it:

${cd}  ${manager.install}
  ${manager.run('dev')}
${fill}
Then open http://localhost:${answers.port}/account and log in.`)
}

/**
 * Refuses invalid options, and options that contradict each other.
 *
 * @throws Exit (usage error) for such an option.
 */
function checkTogether({ framework, language, provider, issuer, clientId }: Options): void {
  if (provider === 'service' && (issuer !== undefined || clientId !== undefined)) {
    throw usage('--issuer and --client-id belong to --provider issuer, not to --provider service.')
  }
  if (issuer !== undefined) {
    const fault = faultOfIssuer(issuer)
    if (fault) throw usage(`--issuer: ${fault}`)
  }
  if (clientId !== undefined && /\s|[^\x20-\x7e]/.test(clientId)) {
    throw usage('--client-id: It must be printable ASCII without spaces.')
  }
  if (framework && language && !frameworkOf(framework).languages.includes(language)) {
    throw usage(
      `${frameworkOf(framework).title} needs decorators, which Node does not run in JavaScript. Use --language typescript.`,
    )
  }
}

/**
 * Whether the options answer all questions, except those for the client id and secret, which may
 * stay empty.
 */
function isComplete(folder: string | undefined, options: Options): boolean {
  const { framework, language, provider, issuer } = options
  const hasLanguage = language || (framework && frameworkOf(framework).languages.length === 1)
  const hasProvider = provider === 'service' || issuer !== undefined
  return folder !== undefined && framework !== undefined && Boolean(hasLanguage) && hasProvider
}

/**
 * The answers from the options. If `isAsked`, the user is asked for missing answers. Otherwise,
 * they get their defaults.
 */
async function answersFrom(options: Options, isAsked: boolean): Promise<Answers> {
  const framework = options.framework ?? (isAsked ? await questions.askForFramework() : 'express')
  const [first = 'typescript', ...others] = frameworkOf(framework).languages
  const language =
    options.language ?? (isAsked && others.length > 0 ? await questions.askForLanguage() : first)
  checkTogether({ ...options, framework, language })
  return { framework, language, provider: await providerFrom(options, isAsked), port: options.port }
}

/**
 * The provider from the options. If `isAsked`, the user is asked for missing settings of the
 * provider.
 */
async function providerFrom(options: Options, isAsked: boolean): Promise<Provider> {
  const name = await providerNameFrom(options, isAsked)
  if (name === 'service') return { name }
  const { issuer, clientId } = options
  if (issuer === undefined && !isAsked) throw usage('--provider issuer needs --issuer.')
  // Without a terminal, the client id and secret stay empty, and the user completes them in `.env`.
  const canAsk = isAsked && process.stdin.isTTY
  return {
    name,
    issuer: issuer ?? (await questions.askForIssuer()),
    clientId: clientId ?? (canAsk ? await questions.askForClientId() : ''),
    clientSecret:
      process.env.LATCHKEY_CLIENT_SECRET || (canAsk ? await questions.askForClientSecret() : ''),
  }
}

async function providerNameFrom(
  { provider, issuer, clientId }: Options,
  isAsked: boolean,
): Promise<Provider['name']> {
  if (provider) return provider
  if (issuer !== undefined || clientId !== undefined) return 'issuer'
  return isAsked ? questions.askForProvider() : 'service'
}

function refuse(fault: string | undefined): void {
  if (fault !== undefined) throw new Exit(exitCodes.failed, fault)
}

function usage(message: string): Exit {
  return new Exit(exitCodes.usage, message)
}
