import { readFileSync } from 'node:fs'
import { cp, mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { startRedis } from '../packages/session-store/test/support/redis.ts'
import { bundlers, FORMATS } from '../test/bundles/bundlers.ts'
import { type Bundled, bundledPackages } from '../test/bundles/packages.ts'
import { type Manifest, root } from './packages.ts'
import { type Outcome, report, run } from './run.ts'
import { copyInto } from './trials.ts'

/** Parts that the applications in JavaScript share, and those on packages that are no adapters. */
const SHARED = 'test/bundles/applications'
/** An application of Next.js. */
const OF_NEXTJS = path.join(root, 'test/bundles/nextjs')

/** Packages of others that the applications import, and the package of ours whose version of them counts. */
const OF_OTHERS: Readonly<Record<string, string>> = {
  '@nestjs/platform-express': 'nestjs',
  'connect-redis': 'session-store',
  'reflect-metadata': 'nestjs',
}

/** How long one program may take to become two files, and a user to log in to all of them, on an idle machine. */
const INSTALL_SECONDS = 120
const BUILD_SECONDS = 180
const LOGIN_SECONDS = 120

/**
 * Bundles a program on each package into one file, by each bundler, and uses it where there are no `node_modules`: a user
 * logs in to each application, with sessions in memory and in Redis, and to one whose provider is the bundled service.
 *
 * @param folder - Where the tarballs are installed.
 */
export async function checkBundles(folder: string): Promise<void> {
  const programs = Object.values(bundledPackages).filter((one): one is Bundled => 'program' in one)
  await copyInto(folder, [SHARED, ...programs.map(({ file }) => file)])
  if (!report('packages of others for bundles', await installOthers(folder))) return
  await using redis = await startRedis()
  for (const bundler of Object.keys(bundlers)) {
    const target = (format: string) => path.join(folder, `bundles-${bundler}-${format}`)
    for (const format of FORMATS) await empty(target(format))
    const made = await bundle(bundler, programs, folder, target)
    if (!report(`${programs.length} programs by ${bundler}`, made)) continue
    for (const format of FORMATS) {
      report(
        `a bundle on each package by ${bundler}, ${format}`,
        await use(target(format), redis.url),
      )
    }
  }
  report('a bundle by Next.js itself', await useNextjs(folder, redis.url))
}

/** The packages of others that the applications import, in the versions that this repository tests with. */
function installOthers(folder: string): Promise<Outcome> {
  const wanted = Object.entries(OF_OTHERS).map(([name, ours]) => {
    const manifest = path.join(root, 'packages', ours, 'node_modules', name, 'package.json')
    return `${name}@${(JSON.parse(readFileSync(manifest, 'utf8')) as Manifest).version}`
  })
  const install = ['install', '--no-save', '--no-audit', '--no-fund', ...wanted]
  return run('npm', install, { cwd: folder, limitSeconds: INSTALL_SECONDS })
}

async function bundle(
  bundler: string,
  programs: readonly Bundled[],
  folder: string,
  target: (format: string) => string,
): Promise<Outcome> {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  for (const { program, file, external = {} } of programs) {
    const cjs = path.join(target('cjs'), `${program}.cjs`)
    const esm = path.join(target('esm'), `${program}.mjs`)
    try {
      await bundlers[bundler]?.({
        program: path.join(folder, file),
        files: { cjs, esm },
        external: Object.keys(external),
      })
    } catch (error) {
      return { code: 1, output: `${program}: ${error}`, seconds: seconds() }
    }
  }
  return { code: 0, output: '', seconds: seconds() }
}

/** Uses a folder of bundles. */
function use(target: string, redisUrl: string): Promise<Outcome> {
  return run(process.execPath, ['test/tarballs/use-bundles.ts', target], {
    cwd: path.dirname(target),
    env: { ...process.env, REDIS_URL: redisUrl },
    limitSeconds: LOGIN_SECONDS,
  })
}

/** Builds the application of Next.js, and uses the folder that it makes: a server with the modules that it needs. */
async function useNextjs(folder: string, redisUrl: string): Promise<Outcome> {
  const source = path.join(folder, 'of-nextjs')
  await cp(OF_NEXTJS, source, { recursive: true })
  const next = path.join(folder, 'node_modules/next/dist/bin/next')
  const built = await run(process.execPath, [next, 'build', source], {
    cwd: source,
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    limitSeconds: BUILD_SECONDS,
  })
  if (built.code !== 0) return built
  const target = path.join(folder, 'bundles-nextjs')
  await empty(target)
  await cp(path.join(source, '.next/standalone'), path.join(target, 'nextjs'), { recursive: true })
  const used = await use(target, redisUrl)
  return { ...used, seconds: built.seconds + used.seconds }
}

async function empty(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
}
