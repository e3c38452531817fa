import { spawnSync } from 'node:child_process'
import { styleText } from 'node:util'

/**
 * Runs what takes too long for every merge, one lane after the other: `npx pnpm test:nightly`. Words pick the lanes
 * whose name has one. A lane that fails ends nothing; the exit code is 1 then.
 */
const lanes: readonly Lane[] = [
  { name: 'long tests', command: ['vitest', 'run'], env: { LATCHKEY_LANE: 'nightly' } },
  {
    name: 'adapter contract on every store',
    command: ['vitest', 'run', 'adapter'],
    env: { LATCHKEY_CONTRACT: 'full' },
  },
  {
    name: 'pages in every language, color and window',
    command: ['vitest', 'run', 'gallery', 'pages/mails', 'pages/passkeys'],
    env: { LATCHKEY_GALLERY: 'full' },
  },
  { name: 'login suite on every store', command: ['pnpm', 'test:matrix'] },
  {
    name: 'random walks',
    command: ['vitest', 'run', 'walks'],
    env: { LATCHKEY_WALKS: '100' },
  },
  { name: 'mutants', command: ['pnpm', 'test:mutants'] },
  { name: 'drills', command: ['pnpm', 'test:drills'], env: { KILLS: '20', SECONDS: '10' } },
  { name: 'cluster', command: ['pnpm', 'test:cluster'] },
  { name: 'interoperability', command: ['pnpm', 'test:interop'] },
  { name: 'runtimes', command: ['pnpm', 'test:runtimes'] },
  {
    name: 'packages with every compiler',
    command: ['pnpm', 'check:packages'],
    env: { LATCHKEY_PACKAGES: 'full' },
  },
  { name: 'site', command: ['sh', '-c', 'pnpm docs:build && pnpm docs:check'] },
]

interface Lane {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
}

const words = process.argv.slice(2)
const chosen = lanes.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
)
if (chosen.length === 0) {
  console.error(`No lane has ${words.join(' or ')} in its name. There are:`)
  for (const { name } of lanes) console.error(`  ${name}`)
  process.exitCode = 2
}

const results = chosen.map((lane) => ({ lane, ...run(lane) }))
for (const { lane, status, seconds } of results) {
  const mark = status === 0 ? styleText('green', 'ok    ') : styleText('red', 'FAILED')
  console.log(`${mark} ${lane.name}: ${seconds} s`)
}
if (results.some(({ status }) => status !== 0)) process.exitCode = 1

function run({ name, command: [program, ...args], env }: Lane): {
  status: number | null
  seconds: number
} {
  console.log(`\n--- ${name}: ${[program, ...args].join(' ')}`)
  const begun = performance.now()
  const { status } = spawnSync(program, args, {
    stdio: 'inherit',
    env: { ...process.env, LATCHKEY_WHOLE_BROWSER: '1', ...env },
  })
  return { status, seconds: Math.round((performance.now() - begun) / 1_000) }
}
