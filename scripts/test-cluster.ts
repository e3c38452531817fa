import { spawnSync } from 'node:child_process'

/**
 * Runs the tests of the service's API, issuer and mail on a cluster: four processes on PostgreSQL and Redis
 * answer in turn. `npx pnpm test:cluster login` runs the files whose names begin with `login`.
 *
 * Tests with options that JSON cannot say, such as a clock that moves, run on four issuers in one process, which
 * share nothing but the stores.
 */
const [filter = ''] = process.argv.slice(2)
const files = ['http', 'issuer', 'mail', 'cluster'].map(
  (folder) => `packages/service/test/${folder}/${filter}`,
)
// Those that bring stores, files or services of their own.
const others = ['*crash*', '*protocol-store', 'full-disk', 'tls', 'https', 'storm', 'drills']
const { status } = spawnSync(
  'vitest',
  ['run', ...files, `--exclude=**/{${others.join(',')}}.test.ts`],
  { stdio: 'inherit', env: { ...process.env, LATCHKEY_TEST_CLUSTER: '1' } },
)
process.exitCode = status ?? 1
