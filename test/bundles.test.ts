import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { build, type Format } from 'esbuild'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startRedis } from '../packages/session-store/test/support/redis.ts'
import { publishedPackages, root } from '../scripts/packages.ts'
import { bundledPackages } from './bundles/packages.ts'

const support = path.join(import.meta.dirname, '../packages/session-store/test/support')

/** ioredis requires modules of Node, and a bundle that is an ES module has no `require` of its own. */
const REQUIRE =
  "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)"

const formats: { format: Format; file: string; banner: Record<string, string> }[] = [
  { format: 'cjs', file: 'bundle.cjs', banner: {} },
  { format: 'esm', file: 'bundle.mjs', banner: { js: REQUIRE } },
]

describe.each(formats)('esbuild makes one $format file', ({ format, file, banner }) => {
  test.each([
    ['of a store with a "url", which keeps sessions', 'one-session.ts'],
    ['of a store for express-session, which keeps sessions', 'one-express-session.ts'],
  ])('%s', async (_, program) => {
    await using redis = await startRedis()
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-bundle-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await build({
      ...{ entryPoints: [path.join(support, program)], outfile: path.join(folder, file) },
      ...{ format, banner, bundle: true, platform: 'node', target: 'node22' },
      conditions: ['latchkey-source'],
      logLevel: 'silent',
    })

    const { stdout } = await promisify(execFile)(process.execPath, [file, redis.url], {
      cwd: folder,
    })
    expect(stdout).toBe('read back 1\n')
  })
})

test('every published package is in the lane of bundles, or named with the reason why it is not', () => {
  const published = publishedPackages().map(({ manifest }) => manifest.name)
  expect(Object.keys(bundledPackages).sort()).toEqual(published.sort())
  for (const [name, bundled] of Object.entries(bundledPackages)) {
    if ('reason' in bundled) expect(bundled.reason, name).not.toBe('')
    else expect(readFileSync(path.join(root, bundled.file), 'utf8')).toContain(`'${name}'`)
  }
})

test('the guide of deployments names each package that stays outside of a bundle', () => {
  const guide = readFileSync(path.join(root, 'docs/guides/deployment.md'), 'utf8')
  const outside = Object.values(bundledPackages).flatMap((bundled) =>
    'reason' in bundled ? [] : Object.keys(bundled.external ?? {}),
  )
  expect(outside.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
})
