import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import * as management from '../packages/management/src/cli/program.ts'
import type { CommandLine } from '../packages/management/src/command-line/index.ts'
import * as service from '../packages/service/src/cli/program.ts'
import { temporaryFolder } from '../packages/service/test/cli/support.ts'
import { root } from '../scripts/packages.ts'
import { commandEnv } from './support/command-env.ts'

const mains = {
  latchkey: 'packages/management/src/cli/main.ts',
  'latchkey-service': 'packages/service/src/cli/main.ts',
  start: 'examples/three-routes/src/start.ts',
} as const

/** Runs one of them in a shell, so that what it prints can be piped. */
async function run(name: keyof typeof mains, args = '', pipe = '') {
  const node = `"${process.execPath}" --conditions=latchkey-source "${join(root, mains[name])}"`
  const child = spawn('bash', ['-c', `set -o pipefail; ${node} ${args} ${pipe}`], {
    env: { ...commandEnv, NO_COLOR: '1', LATCHKEY_URL: 'http://127.0.0.1:9' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = new Promise<number>((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await closed, stdout, stderr }
}

describe.each(Object.keys(mains) as (keyof typeof mains)[])('%s', (name) => {
  test('says its version', async () => {
    expect(await run(name, '--version')).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    })
  })

  test('ends quietly when its reader, such as head, has seen enough', async () => {
    const { code, stdout, stderr } = await run(name, '--help', '| head -n 1')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Usage: .*start|^Usage: latchkey/)
  })

  test('names the nearest option for one that it does not have', async () => {
    const { code, stderr } = await run(name, '--versoin')
    expect([code, stderr]).toEqual([
      2,
      "error: unknown option '--versoin'\n(Did you mean --version?)\nAdd --help for the options.\n",
    ])
  })
})

test.each([
  ['latchkey', 'user list', "unknown command 'user'\n(Did you mean users?)"],
  ['latchkey', 'users lst', "unknown command 'lst'\n(Did you mean list?)"],
  ['latchkey', 'docter', "unknown command 'docter'\n(Did you mean doctor?)"],
  ['latchkey-service', 'tenat list', "unknown command 'tenat'\n(Did you mean tenant?)"],
  ['latchkey-service', 'sevre', "unknown command 'sevre'\n(Did you mean serve?)"],
] as const)('%s %s is refused, with the nearest name', async (name, args, sentence) => {
  const { code, stderr } = await run(name, args)
  expect([code, stderr]).toEqual([2, `error: ${sentence}\nAdd --help for the options.\n`])
})

test.each([
  [
    'latchkey',
    'users export --api-key k --tenant t --file %s/none/x',
    'There is no folder %s/none.',
  ],
  ['latchkey', 'users export --api-key k --tenant t --file %s', '%s is a folder; name a file.'],
  [
    'latchkey',
    'applications create --api-key k --tenant t --data @%s',
    '%s is a folder; name a file.',
  ],
  ['latchkey-service', 'restore %s/none --data %s/data', 'There is no file %s/none.'],
  ['latchkey-service', 'seed %s --data %s/data', '%s is a folder; name a file.'],
  ['start', '--data %s/file', '%s/file is a file; name a folder, or one that does not exist yet.'],
  ['start', '--fresh --data %s/file', '%s/file is a file; name a folder'],
  ['start', '--data /sys/x', '/sys/x cannot be written by this user'],
] as const)('%s %s is refused with a sentence', async (name, args, sentence) => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'file'), '')
  const { code, stderr } = await run(name, args.replaceAll('%s', folder.path))
  expect(stderr).toContain(sentence.replaceAll('%s', folder.path))
  expect(stderr).not.toMatch(/^ +at /m)
  expect(code).toBe(1)
})

/** Commands that go on until they are stopped, or that write a format of their own. */
const withoutJson = ['serve', 'dev', 'audit export', 'audit follow', 'users export', 'completion']

/** The help of every command, by the name of the command. */
async function helpOf(createProgram: () => CommandLine): Promise<Map<string, string>> {
  let stdout = ''
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += text
    return true
  })
  onTestFinished(() => written.mockRestore())
  const help = async (...command: string[]): Promise<string> => {
    stdout = ''
    expect(await createProgram().run([...command, '--help'])).toBe(0)
    return stdout
  }
  const [, list = ''] = /^Commands:\n([\s\S]*?)\n\n/m.exec(await help()) ?? []
  const texts = new Map<string, string>()
  for (const [, command = ''] of list.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?) /gm)) {
    texts.set(command, await help(...command.split(' ')))
  }
  expect(texts.size).toBeGreaterThan(20)
  return texts
}

test.each([
  ['latchkey', management],
  ['latchkey-service', service],
] as const)('every command of %s prints JSON with --json', async (_, { createProgram }) => {
  const lacking = [...(await helpOf(createProgram))].filter(
    ([command, help]) => !withoutJson.includes(command) && !/^ {2}--json /m.test(help),
  )
  expect(lacking.map(([command]) => command)).toEqual([])
})

test.each([
  ['latchkey', management],
  ['latchkey-service', service],
] as const)(
  'the options of %s that have a variable are those of docs/environment.md',
  async (name, { createProgram }) => {
    const said = [...(await helpOf(createProgram)).values()].flatMap((help) =>
      help.split(/\n {2}(?=-)/).flatMap((text) => {
        const [entry = ''] = text.split('\n\n')
        const [option] = /--[\w-]+/.exec(entry) ?? []
        const [variable] = /\b(?:LATCHKEY|REDIS)_[A-Z_]+/.exec(entry) ?? []
        return variable === undefined ? [] : [`${variable} ${option}`]
      }),
    )
    const page = readFileSync(join(root, 'docs/environment.md'), 'utf8')
    const [section = ''] = page.split(/^## /m).filter((one) => one.startsWith(`${name}\n`))
    const listed = [...section.matchAll(/^\| `(\w+)` +\| `(--[\w-]+)`/gm)]
    expect(listed.map(([, variable, option]) => `${variable} ${option}`).sort()).toEqual(
      [...new Set(said)].sort(),
    )
  },
)

test('with --json, what was created has its id, and what was changed says so', async () => {
  using folder = temporaryFolder()
  const service = async (args: string): Promise<Record<string, string>> => {
    const { stdout, stderr } = await run(
      'latchkey-service',
      `${args} --json --data ${folder.path}/data`,
    )
    expect(stderr).toBe('')
    return JSON.parse(stdout)
  }
  const { id } = await service('tenant create --domain login.example.com')
  expect(await service('tenant list')).toMatchObject([{ id, domain: 'login.example.com' }])
  const key = await service(`key create --name ci --tenant ${id}`)
  expect(key.secret).toMatch(/^latchkey_/)
  expect(await service(`key revoke ${key.id}`)).toMatchObject({ id: key.id, name: 'ci' })
  expect(await service('keys rotate')).toEqual([{ tenant: id, key: expect.any(String) }])
})
