import { configDefaults, defineConfig } from 'vitest/config'

/** Files whose tests take too long for every run: `npx pnpm test:nightly`. */
const LONG = '**/*.nightly.test.ts'
const isNightly = process.env.LATCHKEY_LANE === 'nightly'

export default defineConfig({
  ssr: { resolve: { conditions: ['latchkey-source', 'node'] } },
  test: {
    globalSetup: './test/support/setup.ts',
    setupFiles: './test/support/watch-for-leaks.ts',
    include: isNightly
      ? [LONG]
      : ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'test/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isNightly ? [] : [LONG])],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    execArgv: ['--conditions=latchkey-source'],
    // One file at a time on each core. Vitest would leave one core to itself, which on a machine with two
    // is half of them; most files wait for sockets, disks and browsers anyway.
    maxWorkers: '100%',
    // Tests that say they are concurrent wait for time to pass, so many of them fit beside each other.
    maxConcurrency: 20,
  },
})
