import { cp, rm } from 'node:fs/promises'
import path from 'node:path'
import { type Package, publishedPackages } from './packages.ts'
import { report, run } from './run.ts'

// One after the other: a package is compiled against the built declarations of those it needs.
for (const published of publishedPackages()) {
  if (!(await build(published))) break
}

async function build({ folder, manifest }: Package): Promise<boolean> {
  const source = path.join(folder, 'src')
  const target = path.join(folder, 'dist')
  await rm(target, { recursive: true, force: true })

  const compiled = await run('tsc', ['--project', path.join(folder, 'tsconfig.build.json')])
  await copyAssets(source, target)
  return report(manifest.name, compiled)
}

/** Templates, style sheets and the like stay beside the module that reads them. */
async function copyAssets(source: string, target: string): Promise<void> {
  await cp(source, target, { recursive: true, filter: (file) => !/\.[cm]?tsx?$/.test(file) })
}
