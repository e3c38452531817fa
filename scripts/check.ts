import { report, run } from './run.ts'

// Lint, types and unused code, side by side. The tests are `pnpm test`.
const tools = [
  { name: 'biome: format and lint', command: 'biome', args: ['check', '.'] },
  { name: 'tsc: types', command: 'tsc', args: ['--project', 'tsconfig.json'] },
  { name: 'oxlint: promises', command: 'oxlint', args: ['--type-aware'] },
  { name: 'rooms of core', command: 'node', args: ['scripts/rooms.ts'] },
  { name: 'knip: unused', command: 'knip', args: ['--no-progress', '--no-config-hints'] },
]

await Promise.all(
  tools.map(async ({ name, command, args }) => report(name, await run(command, args))),
)
