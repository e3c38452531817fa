import { spawnSync } from 'node:child_process'

/**
 * Runs the login suite on every store and both versions of Express, one combination after the other.
 * `npx pnpm test:matrix session` runs the files whose names begin with `session`.
 */
const combinations = ['core', 'memory', 'redis'].flatMap((store) => [`${store}-5`, `${store}-4`])
const [filter = ''] = process.argv.slice(2)

for (const combination of combinations) {
  console.log(`\n${combination}`)
  const { status } = spawnSync('vitest', ['run', `packages/express/test/${filter}`], {
    stdio: 'inherit',
    env: { ...process.env, LATCHKEY_MATRIX: combination },
  })
  if (status !== 0) process.exitCode = 1
}
