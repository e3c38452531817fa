import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { styleText } from 'node:util'

/**
 * Runs what takes too long for every merge: `npx pnpm test:nightly`. Words pick the lanes whose name has one. Two lanes
 * run side by side, with as many workers together as one run has, since some lanes use one processor alone. Those that
 * measure or need a machine of their own follow one by one. Each writes to a file of its own. A lane that fails ends nothing; the exit
 * code is 1 then.
 */
const lanes: readonly Lane[] = [
  { name: 'cluster', command: ['pnpm', 'test:cluster'] },
  { name: 'long tests', command: ['vitest', 'run'], env: { LATCHKEY_LANE: 'nightly' } },
  { name: 'login suite on every store', command: ['pnpm', 'test:matrix'] },
  { name: 'mutants', command: ['pnpm', 'test:mutants'] },
  {
    name: 'pages in every language, color and window',
    command: ['vitest', 'run', 'gallery', 'pages/mails', 'pages/passkeys'],
    env: { LATCHKEY_GALLERY: 'full' },
  },
  {
    name: 'adapter contract on every store',
    command: ['vitest', 'run', 'adapter'],
    env: { LATCHKEY_CONTRACT: 'full' },
  },
  {
    name: 'packages with every compiler',
    command: ['pnpm', 'check:packages'],
    env: { LATCHKEY_PACKAGES: 'full' },
  },
  { name: 'random walks', command: ['vitest', 'run', 'walks'], env: { LATCHKEY_WALKS: '150' } },
  { name: 'interoperability', command: ['pnpm', 'test:interop'] },
  { name: 'site', command: ['sh', '-c', 'pnpm docs:build && pnpm docs:check'] },
  { name: 'newest oidc-provider', command: ['pnpm', 'test:provider'] },
  { name: 'runtimes', command: ['pnpm', 'test:runtimes'] },
  { name: 'images', command: ['pnpm', 'test:images'] },
  {
    name: 'drills',
    command: ['pnpm', 'test:drills'],
    env: { KILLS: '20', SECONDS: '10' },
    alone: true,
  },
  {
    name: 'a third of each run, beside four busy processes',
    command: ['vitest', 'run', `--shard=${(new Date().getDate() % 3) + 1}/3`],
    alone: true,
    busy: 4,
  },
]

interface Lane {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
  /** Whether no other lane may run beside it. */
  readonly alone?: boolean
  /** How many processes that only compute run beside it. */
  readonly busy?: number
}

interface Result {
  readonly lane: Lane
  readonly status: number | null
  readonly seconds: number
  /** The parts that it has not tried, as it says itself. */
  readonly notTried: readonly string[]
}

const AT_ONCE = 2
/** Of each lane that runs beside another. */
const WORKERS = Math.max(2, availableParallelism() / AT_ONCE + 1)
const LOGS = '.artifacts/nightly'

/** A line of a lane about a part that it could not try: a skipped test with its reason, a provider or a runtime that is not there. */
const NOT_TRIED = /^(?!.*✓).*\b(?:skipped|not tried|not run)\b.*$/gim

const words = process.argv.slice(2)
const chosen = lanes.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
)
if (chosen.length === 0) {
  console.error(`No lane has ${words.join(' or ')} in its name. There are:`)
  for (const { name } of lanes) console.error(`  ${name}`)
  process.exit(2)
}

mkdirSync(LOGS, { recursive: true })
const begun = performance.now()
const results: Result[] = []
const waiting = chosen.filter(({ alone }) => !alone)
await Promise.all(Array.from({ length: AT_ONCE }, runWaiting))
for (const lane of chosen.filter(({ alone }) => alone)) results.push(await run(lane))

console.log(`\n${chosen.length} lanes in ${secondsSince(begun)} s`)
for (const { lane, status, seconds, notTried } of results) {
  const mark = status === 0 ? styleText('green', 'ok    ') : styleText('red', 'FAILED')
  console.log(`${mark} ${lane.name}: ${seconds} s`)
  for (const line of notTried) console.log(`         ${line}`)
}
if (results.some(({ status }) => status !== 0)) process.exitCode = 1

async function runWaiting(): Promise<void> {
  for (let lane = waiting.shift(); lane; lane = waiting.shift()) results.push(await run(lane))
}

async function run(lane: Lane): Promise<Result> {
  const { name, command, env, alone, busy = 0 } = lane
  const [program, ...args] = command
  const file = join(LOGS, `${name.replaceAll(/\W+/g, '-')}.log`)
  console.log(`begun  ${name}: ${command.join(' ')} > ${file}`)
  const started = performance.now()
  const load = Array.from({ length: busy }, () =>
    spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
  )
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...(!alone && { LATCHKEY_TEST_WORKERS: String(WORKERS) }),
      ...{ LATCHKEY_WHOLE_BROWSER: '1', NO_COLOR: '1', ...env },
    },
  })
  const { status, output } = await outputOf(child, file)
  for (const one of load) one.kill()
  const seconds = secondsSince(started)
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}: ${seconds} s`)
  if (status !== 0) console.log(output.slice(-4_000))
  const notTried = [...new Set(output.match(NOT_TRIED) ?? [])].map((line) => line.trim())
  return { lane, status, seconds, notTried }
}

async function outputOf(
  child: ChildProcess,
  file: string,
): Promise<{ status: number | null; output: string }> {
  const log = createWriteStream(file)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log.write(text)
      output += text
    })
  }
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += error.message
      resolve(127)
    })
    child.once('close', resolve)
  })
  log.end()
  return { status, output }
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1_000)
}
