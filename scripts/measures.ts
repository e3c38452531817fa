import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { credentialKinds } from '../packages/service/src/resources/credentials.ts'
import { tenantSettings } from '../packages/service/src/resources/tenant-settings.ts'
import { listsOfAdapters, listsOfProviders } from './lists.ts'
import { root } from './packages.ts'

/** A number that may only fall, and the places that it counts, as far as they help to lower it. */
interface Measure {
  readonly name: string
  readonly found: number
  /** Lower it when there is less. Without one, the number is told alone. */
  readonly cap?: number
  readonly places?: readonly string[]
}

/** A source file, read once. */
interface Source {
  readonly file: string
  readonly text: string
}

/** A function or a test that is longer than it may be, or a regular expression, with its place. */
interface Found {
  readonly functions: string[]
  readonly tests: string[]
  readonly sentences: string[]
}

const LONG = 100
const FULL_FOLDER = 20
/** As many as a person looks through to see a habit. */
const COMMITS = 100

function read(pattern: string): Source[] {
  return globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] })
    .sort()
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }))
}

/** Long functions and tests, and regular expressions that have words with a space between them. */
function look(sources: readonly Source[]): Found {
  const found: Found = { functions: [], tests: [], sentences: [] }
  for (const { file, text } of sources) {
    const isTest = file.endsWith('.test.ts')
    // Most files are too short to hold one, or have no such expression.
    const isShort = text.split('\n', LONG + 1).length <= LONG
    if (isShort && (isTest || !/\/.*[A-Za-z]{3,} [a-z]{2,} [a-z]{2,}.*\//.test(text))) continue
    const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length
    const note = (list: string[], { start, end }: { start: number; end: number }): void => {
      if (end - start < LONG) return
      const lines = lineOf(end) - lineOf(start) + 1
      if (lines > LONG) list.push(`${file}:${lineOf(start)}: ${lines} lines`)
    }
    const length = (node: { start: number; end: number }): void => {
      if (!isTest) note(found.functions, node)
    }
    new Visitor({
      FunctionDeclaration: length,
      FunctionExpression: length,
      ArrowFunctionExpression: length,
      CallExpression(node) {
        const name = text.slice(node.callee.start, node.callee.end)
        if (isTest && /^(?:test|it)\b/.test(name)) {
          for (const argument of node.arguments) {
            if (argument.type === 'ArrowFunctionExpression') note(found.tests, argument)
          }
        }
      },
      Literal(node) {
        if (!('regex' in node) || !file.startsWith('packages/service/src/')) return
        if (/[A-Za-z]{3,} [a-z]{2,} [a-z]{2,}/.test(node.regex.pattern)) {
          found.sentences.push(`${file}:${lineOf(node.start)}: ${node.regex.pattern}`)
        }
      },
    }).visit(parseSync(file, text).program)
  }
  return found
}

/** The files that name a thing, for the thing that the fewest files name. Each thing has one or two names. */
function fewestFiles(sources: readonly Source[], things: readonly (readonly string[])[]): string[] {
  const [fewest = []] = things
    .map((names) => {
      const pattern = new RegExp(`(?<![a-z])(?:${names.join('|')})(?![a-zA-Z])`)
      return sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file)
    })
    .sort((one, other) => one.length - other.length)
  return fewest
}

function matches(sources: readonly Source[], pattern: RegExp): string[] {
  return sources.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1}`] : [])),
  )
}

/** The percentage of the latest commits whose body is empty; 0 where there is no history. */
function commitsWithoutReason(): number {
  const args = ['log', '--no-merges', `-${COMMITS}`, '--format=%b%x00']
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  const bodies = (stdout ?? '').split('\0').slice(0, -1)
  const empty = bodies.filter((body) => body.trim() === '').length
  return Math.round((100 * empty) / Math.max(1, bodies.length))
}

/** The table of measures. Each cap is the lowest number that was reached. */
function measures(): Measure[] {
  const sources = read('packages/*/src/**/*.ts')
  const service = sources.filter(({ file }) => file.startsWith('packages/service/src/'))
  const { functions, tests, sentences } = look([...sources, ...read('**/*.test.ts')])
  const folders = Map.groupBy(sources, ({ file }) => path.dirname(file))
  const full = [...folders]
    .filter(([, files]) => files.length > FULL_FOLDER)
    .map(([folder, files]) => `${folder}: ${files.length}`)
  const loose = (folders.get('packages/service/src') ?? []).map(({ file }) => file)
  const lists = { adapters: listsOfAdapters(), providers: listsOfProviders() }
  const seam = matches(
    service.filter(({ file }) => !file.endsWith('/engine/replace.ts')),
    /\.prototype\.\w+ = |defineProperty\(\w+\.prototype/,
  )
  const casts = matches(
    service.filter(({ file }) => file.includes('/console/')),
    /\bas (?:\w*Call|Arrived|Visited|Known|Resumed|Routed|Reached|Permitted|Placed|Admitted)\b|Object\.assign\(context\b/,
  )
  const templates = read('packages/*/src/**/*.eta')
  const wide = matches(templates, /^.{121}/)
  const all = [...sources, ...templates]
  const lines = sources.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
  const count = (name: string, cap: number, places: readonly string[]): Measure => ({
    name,
    found: places.length,
    cap,
    places,
  })
  return [
    count('members of oidc-provider that are replaced without a check', 0, seam),
    count('lists that name every adapter', 6, lists.adapters),
    count('lists that name every provider', 2, lists.providers),
    // As many as a further one needs: those that the fewest files name have one rule each.
    count(
      'files that name a setting of tenants',
      5,
      fewestFiles(
        all,
        tenantSettings.map(({ name, member }) => [name, member]),
      ),
    ),
    count(
      'files that name a kind of credentials',
      9,
      fewestFiles(
        all,
        Object.entries(credentialKinds).map(([kind, { type }]) => [kind, type]),
      ),
    ),
    count('regular expressions over our own sentences', 0, sentences),
    count('loose files of the service', 5, loose),
    count(`folders of sources with more than ${FULL_FOLDER} files`, 0, full),
    count('casts in front of a page of the console', 0, casts),
    count('lines of templates over 120 columns', 26, wide),
    count(`functions over ${LONG} lines`, 0, functions),
    count(`tests over ${LONG} lines`, 0, tests),
    // Features add to it, so it has no cap.
    { name: 'lines of packages/*/src', found: lines },
    {
      name: `% of the latest ${COMMITS} commits without a reason`,
      found: commitsWithoutReason(),
      cap: 10,
    },
  ]
}

if (import.meta.main) {
  for (const { name, found, cap = Infinity, places = [] } of measures()) {
    console.log(`${found} ${name}`)
    if (found <= cap) continue
    console.log([`  ${cap} are allowed:`, ...places].join('\n  '))
    process.exitCode = 1
  }
}
