import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { checkConsumer, installConsumer, isFull, type PackedPackage } from './consumer.ts'
import { followGettingStarted } from './getting-started.ts'
import { publishedPackages, root } from './packages.ts'
import { report, run } from './run.ts'

// Checks the packed tarballs: inspects, installs and loads them as users do.
const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-packages-'))
try {
  await checkPackages()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function checkPackages(): Promise<void> {
  if (!report('build', await run('node', [path.join(root, 'scripts/build.ts')]))) return

  const packed = publishedPackages().map((published) => ({
    ...published,
    tarball: path.join(folder, `${path.basename(published.folder)}.tgz`),
  }))
  for (const { folder: cwd, manifest, tarball } of packed) {
    const { name } = manifest
    if (!report(`${name}: pack`, await run('pnpm', ['pack', '--out', tarball], { cwd }))) return
  }
  // Side by side, as the two installations wait for the network most of the time.
  await Promise.all([lint(packed), installAndUse(packed), follow(packed)])
}

async function lint(packed: readonly PackedPackage[]): Promise<void> {
  for (const { manifest, tarball } of packed) {
    report(`${manifest.name}: publint`, await run('publint', ['run', tarball, '--strict']))
    if (isFull) {
      report(`${manifest.name}: attw`, await run('attw', [tarball, '--profile', 'esm-only']))
    }
  }
}

async function installAndUse(packed: readonly PackedPackage[]): Promise<void> {
  const consumer = path.join(folder, 'consumer')
  if (!report('install the tarballs', await installConsumer(consumer, packed))) return
  await checkConsumer(consumer, packed)
}

async function follow(packed: readonly PackedPackage[]): Promise<void> {
  const guide = path.join(folder, 'getting-started')
  report('docs/guides/getting-started.md', await followGettingStarted(guide, packed))
}
