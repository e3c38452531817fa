import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { startRedis } from '../packages/session-store/test/support/redis.ts'
import { bundlers, type Format } from '../test/bundles/bundlers.ts'
import { root } from './packages.ts'
import { type Outcome, report, run } from './run.ts'

/** Applications in JavaScript, one on each package that serves requests. */
const APPLICATIONS = path.join(root, 'test/bundles/applications')
const SHARED = ['settings.js', 'web.js']
const FORMATS: readonly Format[] = ['cjs', 'esm']

/** How long a user may take to log in to all of them, on an idle machine. */
const LOGIN_SECONDS = 120

/**
 * Bundles an application on each package into one file, by each bundler, and logs a user in to it where there are no
 * `node_modules`: with sessions in memory and in Redis.
 *
 * @param folder - Where the tarballs are installed.
 */
export async function checkBundles(folder: string): Promise<void> {
  const sources = path.join(folder, 'bundled')
  await cp(APPLICATIONS, sources, { recursive: true })
  const programs = (await readdir(sources)).filter((name) => !SHARED.includes(name))
  await using redis = await startRedis()
  for (const bundler of Object.keys(bundlers)) {
    for (const format of FORMATS) {
      const target = path.join(folder, `bundles-${bundler}-${format}`)
      const name = `a login at a bundle of each package by ${bundler}, ${format}`
      report(name, await bundleAndLogIn(target, { bundler, format, sources, programs }, redis.url))
    }
  }
}

interface Bundling {
  readonly bundler: string
  readonly format: Format
  readonly sources: string
  readonly programs: readonly string[]
}

async function bundleAndLogIn(
  target: string,
  { bundler, format, sources, programs }: Bundling,
  redisUrl: string,
): Promise<Outcome> {
  const folder = path.dirname(target)
  await rm(target, { recursive: true, force: true })
  await mkdir(target)
  const extension = format === 'cjs' ? '.cjs' : '.mjs'
  try {
    for (const program of programs) {
      const file = path.join(target, path.basename(program, '.js') + extension)
      await bundlers[bundler]?.(path.join(sources, program), file, format)
    }
  } catch (error) {
    return { code: 1, output: String(error), seconds: 0 }
  }
  return run(process.execPath, ['log-in-bundled.ts', target], {
    cwd: folder,
    env: { ...process.env, REDIS_URL: redisUrl },
    limitSeconds: LOGIN_SECONDS,
  })
}
