import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { checkConsumer, installConsumer, isFull, type PackedPackage } from './consumer.ts'
import { checkCreated } from './created.ts'
import { followGettingStarted } from './getting-started.ts'
import { checkManagers } from './managers.ts'
import { packAll } from './pack.ts'
import { report, run } from './run.ts'

// Checks the packed tarballs: inspects, installs and loads them as users do.
const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-packages-'))
try {
  await checkPackages()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function checkPackages(): Promise<void> {
  const packed = await packAll(folder)
  if (!packed) return
  // Side by side, as the two installations wait for the network most of the time.
  await Promise.all([lint(packed), installAndUse(packed), follow(packed)])
  if (isFull) {
    await checkManagers(path.join(folder, 'managers'), packed)
    await checkCreated(path.join(folder, 'created'), packed)
  }
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
