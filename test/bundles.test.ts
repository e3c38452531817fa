import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { build, type Format } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { startRedis } from '../packages/session-store/test/support/redis.ts'

const program = path.join(
  import.meta.dirname,
  '../packages/session-store/test/support/one-session.ts',
)

/** ioredis requires modules of Node, and a bundle that is an ES module has no `require` of its own. */
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"

const formats: { format: Format; file: string; banner: Record<string, string> }[] = [
  { format: 'cjs', file: 'bundle.cjs', banner: {} },
  { format: 'esm', file: 'bundle.mjs', banner: { js: REQUIRE } },
]

test.each(formats)(
  'a store with a "url" is bundled by esbuild into one $format file, which keeps sessions',
  async ({ format, file, banner }) => {
    await using redis = await startRedis()
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-bundle-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const entry = { entryPoints: [program], outfile: path.join(folder, file) }
    await build({
      ...entry,
      ...{ format, banner, bundle: true, platform: 'node', target: 'node22' },
      conditions: ['latchkey-source'],
      logLevel: 'silent',
    })

    const { stdout } = await promisify(execFile)(process.execPath, [file, redis.url], {
      cwd: folder,
    })
    expect(stdout).toBe('read back 1\n')
  },
)
