import path from 'node:path'
import type { PackedPackage } from './consumer.ts'
import { publishedPackages, root } from './packages.ts'
import { report, run } from './run.ts'

/**
 * Builds every published package and packs it into a folder, under the name that npm gives a tarball.
 *
 * @returns The packages; `undefined` where one could not be built or packed, which was printed.
 */
export async function packAll(folder: string): Promise<PackedPackage[] | undefined> {
  const built = await run(process.execPath, [path.join(root, 'scripts/build.ts')])
  if (!report('build', built)) return undefined
  const packed = publishedPackages().map(({ folder: from, manifest }) => ({
    from,
    manifest,
    tarball: path.join(folder, tarballName(manifest.name, manifest.version)),
  }))
  for (const { from, manifest, tarball } of packed) {
    const outcome = await run('pnpm', ['pack', '--out', tarball], { cwd: from })
    if (!report(`${manifest.name}: pack`, outcome)) return undefined
  }
  return packed.map(({ manifest, tarball }) => ({ manifest, tarball }))
}

/** Such as `latchkey-core-0.2.0.tgz`. */
function tarballName(name: string, version: string): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}
