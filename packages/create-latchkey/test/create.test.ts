import { spawn } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { commandEnv } from '../../../test/support/command-env.ts'
import { type Answers, providerNames } from '../src/answers.ts'
import { filesOf } from '../src/application.ts'
import { frameworkNames, frameworkOf } from '../src/frameworks.ts'
import { managerOf } from '../src/managers.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'create-latchkey-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs `create-latchkey` without a terminal. */
async function create(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--conditions=latchkey-source', main, ...args], {
    cwd: folder,
    env: { ...commandEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout, stderr }
}

const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8')
const settings = (file: string): Record<string, string> =>
  Object.fromEntries(
    [...read(file).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )

const npm = managerOf('npm/11.0.0 node/v24.0.0')
/** Every application that can be made. */
const combinations = frameworkNames.flatMap((framework) =>
  frameworkOf(framework).languages.flatMap((language) =>
    providerNames.map((name): Answers => {
      const provider =
        name === 'service'
          ? { name }
          : { name, issuer: 'https://login.example.com', clientId: 'shop', clientSecret: '' }
      return { framework, language, provider, port: 3000 }
    }),
  ),
)

test('without questions, an application on Express in TypeScript is made, with the service', async () => {
  const { code, stdout } = await create(['my-app', '--yes'])
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('cd my-app\n  npm install\n  npm run dev\n'),
  ])
  expect(globSync('my-app/{*,.*}', { cwd: folder }).sort()).toEqual(
    ['.env', '.gitignore', 'README.md', 'app.ts', 'package.json', 'tsconfig.json'].map(
      (file) => `my-app/${file}`,
    ),
  )
  expect(JSON.parse(read('my-app/package.json'))).toMatchObject({
    name: 'my-app',
    scripts: { dev: 'latchkey-service dev -- node --watch --env-file=.env app.ts', check: 'tsc' },
    dependencies: { express: expect.stringMatching(/^\^5/) },
  })
  expect(read('my-app/.gitignore')).toBe('.env\n.latchkey\nnode_modules\n')
})

test('the secret of the application is its own, and only its owner can read it', async () => {
  await create(['one', '--yes'])
  await create(['two', '--yes'])
  const secrets = ['one', 'two'].map((app) => settings(`${app}/.env`).LATCHKEY_SESSION_SECRET ?? '')
  expect(new Set(secrets).size).toBe(2)
  for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  if (process.platform !== 'win32')
    expect(statSync(path.join(folder, 'one/.env')).mode & 0o777).toBe(0o600)
})

test('a provider of your own is written into the settings, its secret from the environment', async () => {
  const issuer = [
    '--issuer',
    'https://login.example.com/tenant',
    '--client-id',
    'shop',
    '--port',
    '4567',
  ]
  const { code, stdout } = await create(
    ['my-app', '--framework', 'koa', '--language', 'javascript', ...issuer],
    {
      LATCHKEY_CLIENT_SECRET: 'swordfish',
      npm_config_user_agent: 'pnpm/10.1.0 npm/? node/v24.0.0',
    },
  )
  expect([code, stdout]).toEqual([0, expect.stringContaining('  pnpm install\n  pnpm dev\n')])
  expect(stdout).not.toContain('swordfish')
  expect(settings('my-app/.env')).toMatchObject({
    LATCHKEY_ISSUER: 'https://login.example.com/tenant',
    LATCHKEY_CLIENT_ID: 'shop',
    LATCHKEY_CLIENT_SECRET: 'swordfish',
    LATCHKEY_BASE_URL: 'http://localhost:4567',
  })
  expect(read('my-app/app.js')).toContain('app.listen(4567')
  expect(read('my-app/README.md')).toContain('`http://localhost:4567/callback`')
  expect(read('my-app/package.json')).not.toContain('@latchkey/service')
})

test.for([
  [['x', '--framwork', 'koa'], 2, 'Did you mean --framework?'],
  [['x', '--framework', 'exprss'], 2, 'Did you mean express?'],
  [['x', '--language', 'typscript'], 2, 'Did you mean typescript?'],
  [['x', '--provider', 'servise'], 2, 'Did you mean service?'],
  [['x', '--port', '0', '--yes'], 2, 'a whole number from 1 to 65535'],
  [['x', '--framework', 'nestjs', '--language', 'javascript'], 2, 'Use --language typescript.'],
  [['x', '--provider', 'issuer', '--yes'], 2, '--provider issuer needs --issuer.'],
  [
    ['x', '--issuer', 'http://login.example.com', '--yes'],
    2,
    '--issuer: It must be an https address',
  ],
  [
    ['x', '--provider', 'service', '--issuer', 'https://login.example.com'],
    2,
    'belong to --provider issuer',
  ],
  [
    ['x', '--issuer', 'https://login.example.com', '--client-id', 'a\nB=1', '--yes'],
    2,
    '--client-id: ',
  ],
  [['x'], 2, 'Without a terminal nothing can be asked.'],
  [['x', 'y', '--yes'], 2, 'too many arguments'],
  [['My App', '--yes'], 1, '"My App" cannot be the name of a package'],
  [['node_modules', '--yes'], 1, '"node_modules" cannot be the name of a package'],
  [['express', '--yes'], 1, 'The application installs a package named "express"'],
] as const)('%j is refused, and nothing is written', async ([args, exitCode, reason]) => {
  const { code, stderr } = await create(args)
  expect([code, stderr]).toEqual([exitCode, expect.stringContaining(reason)])
  expect(stderr).not.toMatch(/^ +at /m)
  expect(globSync('*', { cwd: folder })).toEqual([])
})

test.each(['pass#word', "it's", '$HOME', 'a b', 'line\nLATCHKEY_BASE_URL=x', 'ö'])(
  'a secret that .env would change is refused without being shown, and nothing is written: %j',
  async (secret) => {
    const issuer = ['--issuer', 'https://login.example.com', '--client-id', 'shop']
    const args = ['my-app', '--framework', 'koa', '--language', 'javascript', ...issuer]
    const { code, stdout, stderr } = await create(args, { LATCHKEY_CLIENT_SECRET: secret })
    expect(code).toBe(1)
    expect(stderr).toContain('The client secret has a character that files like .env read')
    expect(stdout + stderr).not.toContain(secret)
    expect(existsSync(path.join(folder, 'my-app'))).toBe(false)
  },
)

test('a folder with files, and a file, are refused and left as they are', async () => {
  mkdirSync(path.join(folder, 'full'))
  writeFileSync(path.join(folder, 'full/notes.txt'), 'mine')
  writeFileSync(path.join(folder, 'file'), 'mine')
  const full = await create(['full', '--yes'])
  expect([full.code, full.stderr]).toEqual([
    1,
    expect.stringContaining('The folder full is not empty'),
  ])
  const file = await create(['file', '--yes'])
  expect([file.code, file.stderr]).toEqual([1, expect.stringContaining('file is a file')])
  expect(globSync('**', { cwd: folder }).sort()).toEqual(['.', 'file', 'full', 'full/notes.txt'])
  expect(read('full/notes.txt')).toBe('mine')
})

test('an empty folder is filled', async () => {
  mkdirSync(path.join(folder, 'empty'))
  expect((await create(['empty', '--yes'])).code).toBe(0)
  expect(existsSync(path.join(folder, 'empty/app.ts'))).toBe(true)
})

test.for(combinations)('$framework in $language with $provider.name is whole', (answers) => {
  const files = filesOf('my-app', answers, npm)
  const { dependencies, devDependencies } = JSON.parse(files['package.json'] ?? '')
  const named = Object.keys({ ...dependencies, ...devDependencies })
  const sources = Object.entries(files).filter(([file]) => /\.[jt]sx?$/.test(file))
  expect(sources.length).toBeGreaterThan(0)
  for (const [file, text] of sources) {
    const { errors, module } = parseSync(file, text)
    expect(errors, file).toEqual([])
    const imported = module.staticImports.map(({ moduleRequest }) => moduleRequest.value)
    const packages = imported
      .filter((name) => !/^\.|^node:/.test(name))
      .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
    expect(named, file).toEqual(expect.arrayContaining(packages))
  }
  if (answers.language === 'javascript') {
    expect(Object.keys(files).filter((file) => /\.tsx?$|tsconfig/.test(file))).toEqual([])
  }
  expect(named.includes('@latchkey/service')).toBe(answers.provider.name === 'service')
})

test('an application needs what its package manager asks for', () => {
  const answers = combinations.find(({ framework }) => framework === 'nextjs') as Answers
  const made = (userAgent: string) => filesOf('my-app', answers, managerOf(userAgent))
  expect(made('pnpm/12.0.0 npm/? node/v24.0.0')['pnpm-workspace.yaml']).toContain('sharp: false')
  expect(made('yarn/4.9.0 npm/? node/v24.0.0')['.yarnrc.yml']).toBe('nodeLinker: node-modules\n')
  expect(made('yarn/1.22.22 npm/? node/v24.0.0')['README.md']).toContain('\nyarn\nyarn dev\n')
  expect(made('bun/1.3.0 npm/? node/v24.0.0')['README.md']).toContain('bun install\nbun run dev')
  expect(made('')['README.md']).toContain('npm install\nnpm run dev')
})
