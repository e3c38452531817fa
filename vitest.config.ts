import { configDefaults, defineConfig } from 'vitest/config'

/** Files whose tests take too long for every run: `npx pnpm test:nightly`. */
const LONG = '**/*.nightly.test.ts'
const isNightly = process.env.LATCHKEY_LANE === 'nightly'

/** Tests that leave nothing behind in their modules, neither a moved clock nor a table that was filled once. */
const SHARED = [
  'packages/{management,session-store,testing}/test/**/*.test.ts',
  'packages/service/test/{console,http}/**/*.test.ts',
]
const ALL = ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'test/*.test.ts']
const exclude = [...configDefaults.exclude, LONG]

export default defineConfig({
  ssr: { resolve: { conditions: ['latchkey-source', 'node'] } },
  test: {
    globalSetup: './test/support/setup.ts',
    setupFiles: './test/support/watch-for-leaks.ts',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    execArgv: ['--conditions=latchkey-source'],
    // One file at a time on each core. Vitest would leave one core to itself, which on a machine with two
    // is half of them; most files wait for sockets, disks and browsers anyway.
    maxWorkers: '100%',
    // Tests that say they are concurrent wait for time to pass, so many of them fit beside each other.
    maxConcurrency: 20,
    projects: isNightly
      ? [{ extends: true, test: { name: 'nightly', include: [LONG] } }]
      : [
          {
            extends: true,
            test: { name: 'apart', include: ALL, exclude: [...exclude, ...SHARED] },
          },
          {
            extends: true,
            // Loading modules anew for each file took longer than many of the files.
            test: { name: 'shared', isolate: false, include: SHARED, exclude },
          },
        ],
  },
})
