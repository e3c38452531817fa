import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Answers } from './answers.ts'
import { packageNameOf } from './faults.ts'
import { frameworkOf, json } from './frameworks.ts'
import type { Manager } from './managers.ts'
import { packagesOf } from './packages.ts'

/** The default port, which is also the port in the texts of the examples. */
export const DEFAULT_PORT = 3000

/**
 * Writes an application into a folder, which is created if it does not exist. Only the owner can read `.env`. No file
 * is overwritten.
 *
 * @returns The paths that were written, relative to the folder.
 */
export function writeApplication(folder: string, answers: Answers, manager: Manager): string[] {
  const files = filesOf(packageNameOf(folder), answers, manager)
  for (const [file, text] of Object.entries(files)) {
    const target = path.join(folder, file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, text, { flag: 'wx', mode: file === '.env' ? 0o600 : 0o666 })
  }
  return Object.keys(files)
}

/**
 * Generates the files of an application, by their paths. Each call generates a new session secret.
 */
export function filesOf(
  name: string,
  answers: Answers,
  manager: Manager,
): Readonly<Record<string, string>> {
  const { framework, language, provider, port } = answers
  const { files, ignored } = frameworkOf(framework)
  const texts = {
    'package.json': manifestOf(name, answers),
    ...files(language, name),
    'README.md': readmeOf(name, answers, manager),
  }
  // package.json and README.md already have the port. In these files, the name of the folder may
  // contain the same digits as the default port.
  const onPort = Object.entries(texts).map(([file, text]) => [
    file,
    file === 'package.json' || file === 'README.md'
      ? text
      : text.replaceAll(String(DEFAULT_PORT), String(port)),
  ])
  return {
    ...Object.fromEntries(onPort),
    '.env': settingsOf(answers),
    '.gitignore': [
      '.env',
      ...(provider.name === 'service' ? ['.latchkey'] : []),
      'node_modules',
      ...ignored,
      '',
    ].join('\n'),
    ...manager.files(framework),
  }
}

function manifestOf(name: string, answers: Answers): string {
  const { framework, language, provider, port } = answers
  const { dev, ...scripts } = frameworkOf(framework).scripts(language)
  const at = port === DEFAULT_PORT ? '' : `--base-url http://localhost:${port} `
  const commands = {
    dev: provider.name === 'service' ? `latchkey-service dev ${at}-- ${dev}` : dev,
    ...scripts,
  }
  const onPort = Object.entries(commands).map(([command, text]) => [
    command,
    text.replace(`--port ${DEFAULT_PORT}`, `--port ${port}`),
  ])
  return json({
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.19' },
    scripts: Object.fromEntries(onPort),
    ...packagesOf(answers),
  })
}

function settingsOf({ provider, port }: Answers): string {
  const secret = `LATCHKEY_SESSION_SECRET=${randomBytes(32).toString('base64url')}\n`
  const head =
    '# The settings of the login. They hold secrets: keep this file out of version control.\n'
  if (provider.name === 'service') return `${head}${secret}`
  return `${head}LATCHKEY_ISSUER=${provider.issuer}
LATCHKEY_CLIENT_ID=${provider.clientId}
LATCHKEY_CLIENT_SECRET=${provider.clientSecret}
LATCHKEY_BASE_URL=http://localhost:${port}
${secret}`
}

function readmeOf(name: string, { provider, framework, port }: Answers, manager: Manager): string {
  const address = `http://localhost:${port}`
  const start = `\`\`\`sh
${manager.install}
${manager.run('dev')}
\`\`\`
`
  const { build } = frameworkOf(framework).scripts('typescript')
  const production = `
In production, set \`LATCHKEY_ISSUER\`, \`LATCHKEY_CLIENT_ID\`, \`LATCHKEY_CLIENT_SECRET\`, \`LATCHKEY_BASE_URL\` and
\`LATCHKEY_SESSION_SECRET\` in the environment, and start it with ${build ? `\`${manager.run('build')}\` and ` : ''}\`${manager.run('start')}\`.
`
  if (provider.name === 'service') {
    return `# ${name}

${start}
This starts the application and, beside it, an identity service for development. The terminal shows the users and their
passwords. Open <${address}/account> and log in as \`ada@example.com\` with the password \`correct horse battery\`. The data of the
service is in \`.latchkey\`.

If a login fails, <${address}/__latchkey> shows each step and how to fix the failure.
${production}`
  }
  return `# ${name}

1. At your provider, register the redirect URI \`${address}/callback\`, and \`${address}/\` for the return after a logout.
2. Complete the empty settings in \`.env\`.
3. Start the application:

${start}
Open <${address}/account> and log in. If a login fails, <${address}/__latchkey> shows each step and how to fix the failure.
${production}`
}
