import { report, run } from './run.ts'

// Lint, types, unused code, spelling and style, side by side. The tests are `pnpm test`.
const tools = [
  { name: 'biome: format and lint', command: 'biome', args: ['check', '.'] },
  { name: 'tsc: types', command: 'tsc', args: ['--project', 'tsconfig.json'] },
  { name: 'tsc: types under Next.js', command: 'tsc', args: ['--project', 'packages/nextjs'] },
  { name: 'oxlint: promises', command: 'oxlint', args: ['--type-aware'] },
  { name: 'measures that may only fall', command: 'node', args: ['scripts/measures.ts'] },
  { name: 'rooms and their arrows', command: 'node', args: ['scripts/rooms.ts'] },
  { name: 'cspell: spelling', command: 'cspell', args: ['lint', '--no-progress', '--gitignore'] },
  { name: 'style of sentences', command: 'node', args: ['scripts/style.ts'] },
  { name: 'knip: unused', command: 'knip', args: ['--no-progress', '--no-config-hints'] },
]

await Promise.all(
  tools.map(async ({ name, command, args }) => report(name, await run(command, args))),
)
