import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { middlewareAdapters } from './scripts/packages.ts'
import { mutant } from './test/mutants/plugin.ts'
import { limit, usual } from './test/support/limits.ts'
import { Report } from './test/support/report.ts'

/** Files whose tests take too long for every run: `npx pnpm test:nightly`. */
const LONG = '**/*.nightly.test.ts'
const isNightly = process.env.LATCHKEY_LANE === 'nightly'

/** Files in which the kit runs alone, at trace level and searched for its secrets: see `test/support/watch-for-leaks.ts`. */
const KIT = [
  `packages/{core,${middlewareAdapters().map(({ name }) => name)}}/test/**/*.test.ts`,
  'test/kit-*.test.ts',
]

/**
 * Files that need modules as they are at first, or whose framework or telemetry has one state for the whole process:
 * Restify, which a recipe uses, changes the responses of `node:http` for all.
 */
const ALONE = [
  'examples/guides/test/{development,recipes,telemetry}.test.ts',
  'examples/node-http/test/adapter.test.ts',
  'packages/nestjs/test/adapter.test.ts',
  'packages/nextjs/test/{adapter,pages}.test.ts',
  'packages/service/test/costs.test.ts',
  'packages/service/test/domain/{chosen-password,ids,legacy-padding,padding}.test.ts',
  'packages/testing/test/provider-keys.test.ts',
  'test/{examples,journeys}.test.ts',
]
const ALL = ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'test/*.test.ts']

/** A folder with another oidc-provider than that of the lockfile: see `scripts/test-newest-provider.ts`. */
const provider = process.env.LATCHKEY_OIDC_PROVIDER
const alias = provider ? [{ find: /^oidc-provider$/, replacement: `${provider}/lib/index.js` }] : []

/** The file in which `.ci/run` finds how many tests passed. */
const counts = process.env.LATCHKEY_TEST_COUNTS
const json = (outputFile: string): ['json', { outputFile: string }] => ['json', { outputFile }]
const exclude = [...configDefaults.exclude, LONG]

export default defineConfig({
  plugins: process.env.LATCHKEY_MUTANT === undefined ? [] : [mutant],
  resolve: { alias },
  ssr: { resolve: { conditions: ['latchkey-source', 'node'] } },
  test: {
    // A mutant needs nothing that the run without one has not provided.
    globalSetup: process.env.LATCHKEY_MUTANT === undefined ? './test/support/setup.ts' : [],
    // What a test writes helps where it fails.
    silent: 'passed-only',
    reporters: ['default', new Report(), ...(counts ? [json(counts)] : [])],
    setupFiles: ['./test/support/each-file.ts'],
    // They end only what hangs, and grow with what else the machine does: decision 355.
    // The usual walks take seconds of it: a hundred times as many have ten times as long.
    testTimeout: limit(usual.test) * Math.max(1, Number(process.env.LATCHKEY_WALKS ?? 1) / 10),
    hookTimeout: limit(usual.hook),
    expect: { poll: { timeout: limit(usual.wait) } },
    execArgv: ['--conditions=latchkey-source'],
    // Two more than cores, as most files wait for sockets, disks and browsers: decision 320.
    // Lanes that run side by side share them.
    maxWorkers: Number(process.env.LATCHKEY_TEST_WORKERS ?? availableParallelism() + 2),
    // Tests that say they are concurrent wait for time to pass, so many of them fit beside each other.
    maxConcurrency: 20,
    // Loading modules again for each file takes longer than many of the files. A cluster is made for each file.
    isolate: process.env.LATCHKEY_TEST_CLUSTER !== undefined,
    projects: isNightly
      ? [{ extends: true, test: { name: 'nightly', include: [LONG] } }]
      : [
          { extends: true, test: { name: 'alone', include: ALONE, exclude, isolate: true } },
          {
            extends: true,
            test: {
              name: 'kit',
              include: KIT,
              exclude,
              setupFiles: ['./test/support/each-file-of-the-kit.ts'],
            },
          },
          {
            extends: true,
            test: { name: 'others', include: ALL, exclude: [...exclude, ...ALONE, ...KIT] },
          },
        ],
  },
})
