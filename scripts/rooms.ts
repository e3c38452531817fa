import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'oxc-parser'
import { root } from './packages.ts'

/** The most arrows between the rooms of core. Lower it when there are fewer. */
const MOST = 90

const core = path.join(root, 'packages/core/src')

/** The folder of core that a file is in; `undefined` for files that are there for every room. */
function roomOf(file: string): string | undefined {
  const [room, ...rest] = path.relative(core, file).split(path.sep)
  return rest.length > 0 ? room : undefined
}

// An arrow is a file that uses another room, for a type or for a value.
const arrows = globSync('*/**/*.ts', { cwd: core }).flatMap((name) => {
  const file = path.join(core, name)
  const own = roomOf(file)
  const { staticImports } = parseSync(file, readFileSync(file, 'utf8')).module
  const used = staticImports
    .filter(({ moduleRequest }) => moduleRequest.value.startsWith('.'))
    .map(({ moduleRequest }) => roomOf(path.join(path.dirname(file), moduleRequest.value)))
  return [...new Set(used)]
    .filter((room) => room && room !== own)
    .map((room) => `${name} → ${room}`)
})

console.log(`${arrows.length} arrows between the rooms of core, of at most ${MOST}`)
if (arrows.length > MOST) {
  console.log(arrows.join('\n'))
  process.exitCode = 1
}
