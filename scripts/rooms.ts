import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'oxc-parser'
import { root } from './packages.ts'

/** The most of each that a house may have. Lower a number when there is less. */
interface Caps {
  /** Folders, and files beside them: each is a room of its own. */
  rooms: number
  /** Pairs of rooms of which one imports the other, for a value or for a type. */
  arrows: number
  /** Rooms above one another, by the imports of values; those of a circle count as one. */
  floors: number
  /** Rooms that are in a circle, by the imports of values. */
  circle: number
}

const houses: Readonly<Record<string, Caps>> = {
  'packages/core/src': { rooms: 19, arrows: 137, floors: 11, circle: 0 },
  // `telemetry`, to which everything reports, `egress`, and `webhooks`, which stands between `http` and both. The console
  // chooses its language as the hosted pages do, and shares their tokens and scripts. `wire`, which `http`, `server`, the console
  // and the commands stand on. `background`, which all work outside of requests imports: a room, and a floor between store
  // and telemetry. `opening`, `operate` and `upkeep` are opened by the service and by the commands. Five files lie beside the rooms.
  // `service.ts` opens the list of leaked passwords before the rules have their context: an arrow to `egress`.
  // The console has a word for each kind of message: an arrow to `mail`, by type.
  // `resources` describes what has many forms, below all rooms that have one of them: four arrows for settings, five for kinds
  // of credentials.
  'packages/service/src': { rooms: 23, arrows: 111, floors: 9, circle: 0 },
  // The settings of a tenant are judged by the ways to log in that they allow: an arrow.
  'packages/service/src/domain': { rooms: 10, arrows: 29, floors: 5, circle: 0 },
  'packages/service/src/issuer/interaction': { rooms: 6, arrows: 14, floors: 6, circle: 0 },
  // Three files lie beside the ten rooms. `pages` is a room of types, so most of the arrows to it are.
  'packages/service/src/console': { rooms: 13, arrows: 38, floors: 7, circle: 0 },
  'packages/testing/src': { rooms: 18, arrows: 30, floors: 4, circle: 0 },
}

type Arrows = Map<string, Set<string>>

/** The arrows of a house between its rooms: of every import, and of values alone. */
function arrowsOf(house: string): { rooms: Set<string>; all: Arrows; values: Arrows } {
  const folder = path.join(root, house)
  const roomOf = (file: string) => path.relative(folder, file).split(path.sep)[0] ?? ''
  const [rooms, all, values]: [Set<string>, Arrows, Arrows] = [new Set(), new Map(), new Map()]
  for (const name of globSync('**/*.ts', { cwd: folder })) {
    const file = path.join(folder, name)
    const own = roomOf(file)
    rooms.add(own)
    const { staticImports, staticExports } = parseSync(file, readFileSync(file, 'utf8')).module
    const uses = [
      ...staticImports.map(({ moduleRequest, entries }) => ({
        from: moduleRequest.value,
        isType: entries.length > 0 && entries.every((entry) => entry.isType),
      })),
      ...staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest, isType }) =>
          moduleRequest ? [{ from: moduleRequest.value, isType }] : [],
        ),
      ),
    ]
    for (const { from, isType } of uses) {
      const used = path.join(path.dirname(file), from)
      if (!from.startsWith('.') || path.relative(folder, used).startsWith('..')) continue
      const other = roomOf(used)
      if (other === own) continue
      for (const arrows of isType ? [all] : [all, values]) {
        arrows.set(own, (arrows.get(own) ?? new Set()).add(other))
      }
    }
  }
  return { rooms, all, values }
}

/** The rooms that can be reached from one. */
function reach(arrows: Arrows, from: string): Set<string> {
  const found = new Set<string>()
  const next = [...(arrows.get(from) ?? [])]
  for (let room = next.pop(); room !== undefined; room = next.pop()) {
    if (found.has(room)) continue
    found.add(room)
    next.push(...(arrows.get(room) ?? []))
  }
  return found
}

function measure(house: string): Caps & { inCircle: string[] } {
  const { rooms, all, values } = arrowsOf(house)
  const reached = new Map([...rooms].map((room) => [room, reach(values, room)]))
  const isBelow = (room: string, other: string) =>
    reached.get(room)?.has(other) === true && !reached.get(other)?.has(room)
  const floors = new Map<string, number>()
  function floorOf(room: string): number {
    const known = floors.get(room)
    if (known !== undefined) return known
    const below = [...(reached.get(room) ?? [])].filter((other) => isBelow(room, other))
    const floor = 1 + Math.max(0, ...below.map(floorOf))
    floors.set(room, floor)
    return floor
  }
  const inCircle = [...rooms].filter((room) => reached.get(room)?.has(room)).sort()
  return {
    rooms: rooms.size,
    arrows: [...all.values()].reduce((sum, others) => sum + others.size, 0),
    floors: Math.max(...[...rooms].map(floorOf)),
    circle: inCircle.length,
    inCircle,
  }
}

for (const [house, caps] of Object.entries(houses)) {
  const { inCircle, ...found } = measure(house)
  const names = Object.keys(found) as (keyof Caps)[]
  const numbers = names.map((name) => `${found[name]} ${name}`).join(', ')
  console.log(`${house}: ${numbers}${inCircle.length > 0 ? ` (${inCircle.join(' ')})` : ''}`)
  for (const name of names.filter((one) => found[one] > caps[one])) {
    console.log(`  ${found[name]} ${name} are more than ${caps[name]}.`)
    process.exitCode = 1
  }
}
