import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test, vi } from 'vitest'
import * as management from '../packages/management/src/cli/program.ts'
import * as service from '../packages/service/src/cli/program.ts'
import { root } from '../scripts/packages.ts'

/** The guide with the chapter on both commands, and that chapter. */
const GUIDE = 'running-the-service.md'
const CHAPTER = `${GUIDE}#the-commands`

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const programs = { latchkey: management, 'latchkey-service': service }

type Name = keyof typeof programs

/** Variables that readers set once, where a page names them. */
const settings = {
  LATCHKEY_URL: 'http://127.0.0.1:9',
  LATCHKEY_API_KEY: 'latchkey_x',
  LATCHKEY_TENANT: 'ten_x',
  LATCHKEY_DATA: './data',
  LATCHKEY_DATABASE: 'postgres://127.0.0.1:9/x',
  LATCHKEY_REDIS: 'redis://127.0.0.1:9',
}

const pages = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md', 'packages/*/README.md'], {
  cwd: root,
  exclude: ['**/node_modules/**', 'docs/decisions/**'],
})

/** Runs a command without its action, so that commander judges what is printed. */
async function judge(name: Name, args: string[]): Promise<string> {
  let output = ''
  const note = (text: string | Uint8Array): boolean => {
    output += text
    return true
  }
  const written = [
    vi.spyOn(process.stderr, 'write').mockImplementation(note),
    vi.spyOn(process.stdout, 'write').mockImplementation(note),
    vi.spyOn(console, 'error').mockImplementation(note),
  ]
  const code = await programs[name].createProgram().run(args)
  for (const spy of written) spy.mockRestore()
  return code === 0 ? '' : `${code}: ${output}`
}

async function helpOf(name: Name, command: string[] = []): Promise<string> {
  let output = ''
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += text
    return true
  })
  await programs[name].createProgram().run([...command, '--help'])
  written.mockRestore()
  return output
}

/** A command as it is printed somewhere. */
interface Printed {
  place: string
  /** The text around it. */
  text: string
  command: string
  /** Whether readers copy it as it is; elsewhere, a sentence names a command or one of its options. */
  isWhole: boolean
}

/** Names of keys and tokens, which begin like a command. */
const noCommands = /^latchkey session |^latchkey-service (console|vault) /

/** The commands of a text: lines of a shell, and names between backticks or quotes. */
function commandsOf(place: string, text: string): Printed[] {
  const joined = text.replaceAll(/^Usage: .*$/gm, '').replaceAll(/\\\n\s*/g, '')
  const lines = place.endsWith('.ts')
    ? []
    : joined.matchAll(
        /^(?:\w+: +|.*?\| +|\s*)(?:npx (?:--package @latchkey\/management )?)?(latchkey(?:-service)? [a-z].*)$/gm,
      )
  const quoted = joined.matchAll(
    /[`"'](?:npx (?:--package @latchkey\/management )?)?(latchkey(?:-service)? [a-z-]+[^`"'$\n]*)/g,
  )
  return [
    ...[...lines].map(([, command = '']) => ({ place, text, command, isWhole: true })),
    ...[...quoted].map(([, command = '']) => ({ place, text, command, isWhole: false })),
  ].filter(({ command }) => !noCommands.test(command))
}

/** The words of a command as a shell reads them, up to a pipe, a redirection or a comment. */
function wordsOf(command: string): string[] {
  const words = command.matchAll(/(?:'[^']*'|"(?:\\.|[^"])*"|\\.|[^\s'"])+/g)
  const plain = [...words].map(([word]) => word)
  const end = plain.findIndex((word) => /^(\||>|>>|#|&&|and)$|,$/.test(word))
  return (end < 0 ? plain : plain.slice(0, end)).map((word) => word.replaceAll(/['"]/g, ''))
}

/** What the command has against being called as printed; a placeholder such as … stands for some value. */
async function faultOf({ text, command, isWhole }: Printed): Promise<string> {
  for (const [variable, value] of Object.entries(settings)) {
    const isElsewhere =
      variable === 'LATCHKEY_DATA' && /--database|LATCHKEY_DATABASE\b/.test(command + text)
    const isSet = new RegExp(`\\b${variable}\\b`).test(text) && !isElsewhere
    vi.stubEnv(variable, isSet ? value : undefined)
  }
  const [name = '', ...args] = wordsOf(command.replaceAll('…', 'x'))
  const fault = await judge(name as Name, args)
  const isIncomplete =
    /not specified|argument missing|missing required argument|give --data|^2: Usage/.test(fault)
  return !isWhole && isIncomplete ? '' : fault
}

beforeAll(async () => {
  const { resolve } = createRequire(join(root, 'packages/management/package.json'))
  const { Command } = await import(pathToFileURL(resolve('commander')).href)
  const { action } = Command.prototype
  vi.spyOn(Command.prototype, 'action').mockImplementation(function (this: unknown) {
    return action.call(this, () => undefined)
  })
  return () => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  }
})

const helps = async (): Promise<[string, string][]> => {
  const found: [string, string][] = []
  for (const name of Object.keys(programs) as Name[]) {
    const help = await helpOf(name)
    found.push([`${name} --help`, help])
    const [, list = ''] = /^Commands:\n([\s\S]*?)\n\n/m.exec(help) ?? []
    for (const [, command = ''] of list.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?) /gm)) {
      found.push([`${name} ${command} --help`, await helpOf(name, command.split(' '))])
    }
  }
  return found
}

/** The text of a page, with that of the chapter that it links to for the commands. */
function readPage(file: string): string {
  const text = read(file)
  if (!text.includes(`${CHAPTER})`)) return text
  const [, chapter = ''] = /^## The commands\n(.*?)^## /ms.exec(read(`docs/guides/${GUIDE}`)) ?? []
  return `${text}\n${chapter}`
}

/** Whether a text has the line that installs the package of a command. */
function isInstalled(command: string, text: string): boolean {
  const name = command.startsWith('latchkey-service') ? 'service' : 'management'
  return new RegExp(`npm install .*@latchkey/${name}\\b`).test(text)
}

test('every page that shows a command says how to install it, or links to where that is said', () => {
  const silent = pages.filter((file) => {
    const text = readPage(file)
    const whole = commandsOf(file, text).filter(({ isWhole }) => isWhole)
    return whole.some(({ command }) => !isInstalled(command, text))
  })
  expect(silent).toEqual([])
})

test('a printed command that does not exist, or lacks an option, would be noticed', async () => {
  const fault = (command: string, isWhole: boolean) =>
    faultOf({ place: '', text: 'LATCHKEY_URL LATCHKEY_API_KEY', command, isWhole })
  expect(await fault('latchkey users lst', false)).toContain("unknown command 'lst'")
  expect(await fault('latchkey users list --limt', false)).toContain("unknown option '--limt'")
  expect(await fault('latchkey-service tenant create', false)).toBe('')
  expect(await fault('latchkey-service tenant create', true)).toContain('--domain')
})

test('every command that pages, help and messages print is one that its program takes', async () => {
  const files = [...pages, ...globSync('packages/*/src/**/*.ts', { cwd: root })]
  const texts = [...files.map((file) => [file, readPage(file)] as const), ...(await helps())]
  const printed = texts.flatMap(([place, text]) => commandsOf(place, text))
  const faults: string[] = []
  for (const one of printed) {
    const fault = await faultOf(one)
    if (fault) faults.push(`${one.place}: ${one.command}\n    ${fault.split('\n')[0]}`)
  }
  expect(faults.join('\n')).toBe('')
  expect(printed.filter(({ isWhole }) => isWhole).length).toBeGreaterThan(60)
})

test('every option of a command that a page names by itself is one of a command, with its default', async () => {
  const args = ['--conditions=latchkey-source', 'packages/create-latchkey/src/main.ts', '--help']
  const ofCreate = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  const help = [...(await helps()).map(([, text]) => text), ofCreate].join('\n')
  const options = new Set(help.match(/--[a-z][a-z-]+/g))
  /** Options of npm, of the scripts of this repository, and of pnpm, mcp-remote and WordPress' `wp`. */
  const others = new Set([
    ...['--global', '--sample', '--digestfile'],
    ...['--client-metadata-url', '--static-oauth-client-info', '--network'],
  ])
  const prose = pages.map((file) => ({ file, text: read(file).replaceAll(/^```.*?^```$/gms, '') }))
  const named = prose.flatMap(({ file, text }) =>
    [...text.matchAll(/`(--[a-z][a-z-]+)/g)].map(([, option = '']) => ({ file, option })),
  )
  expect(named.filter(({ option }) => !options.has(option) && !others.has(option))).toEqual([])
  expect(named.length).toBeGreaterThan(80)

  const defaults = prose.flatMap(({ file, text }) =>
    [...text.matchAll(/`(--[a-z-]+)`,? ([\d,]+) by default/g)].map(([, option, value = '']) => {
      const [, said] =
        new RegExp(`${option} [^\\n]*(?:\\n {10,}[^\\n]*)*?default:\\s+(\\d+)`).exec(help) ?? []
      return { file, option, value: value.replace(',', ''), said }
    }),
  )
  expect(defaults.filter(({ value, said }) => value !== said)).toEqual([])
  expect(defaults.length).toBeGreaterThan(1)
})

test('every command of pnpm that a page shows is a script of this repository', () => {
  const { scripts } = JSON.parse(read('package.json'))
  const printed = pages.flatMap((file) =>
    [...read(file).matchAll(/npx pnpm (?:--filter (?:@latchkey\/)?(\S+) )?([a-z:]+)/g)].map(
      ([command, example, script = '']) => ({ file, command, example, script }),
    ),
  )
  const missing = printed.filter(({ example, script }) => {
    const isThere = script in scripts || script === 'install'
    return example ? !existsSync(join(root, example.replace('example-', 'examples/'))) : !isThere
  })
  expect(missing).toEqual([])
  expect(printed.length).toBeGreaterThan(20)
})

test('a guide that leads to `npx latchkey-service` installs the service first, as npx would fetch a stranger’s package', () => {
  const leads = /npx latchkey-service|getting-started\.md#start-the-identity-service/
  const guides = pages.filter((page) => page.startsWith('docs/guides/') && leads.test(read(page)))
  expect(guides).toContain('docs/guides/nextjs.md')
  const lacking = guides.filter((page) => {
    const [before = ''] = read(page).split(leads)
    return !/npm install .*@latchkey\/service/.test(before)
  })
  expect(lacking).toEqual([])
})
