import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishedPackages, root } from '../../scripts/packages.ts'
import { run } from '../../scripts/run.ts'

/** Runs a command and answers with its output. */
export async function must(command: string, args: string[], cwd: string = root): Promise<string> {
  const { code, output } = await run(command, args, { cwd, limitSeconds: 300 })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${output}`)
  return output
}

/** Ours as tarballs in `folder`, `others` in the version that the bench itself is measured with. */
export async function packTarballs(
  folder: string,
  others: readonly string[],
): Promise<Record<string, string>> {
  if (!process.env.BUILT) await must('node', [join(root, 'scripts/build.ts')])
  const found: Record<string, string> = {}
  for (const { folder: cwd, manifest } of publishedPackages()) {
    const tarball = join(folder, `${manifest.name.replace('/', '-')}.tgz`)
    await must('npx', ['-s', 'pnpm', '-C', cwd, 'pack', '--out', tarball])
    found[manifest.name] = `file:${tarball}`
  }
  for (const name of others) found[name] ??= versionIn('bench', name)
  return found
}

/** The version of a package that is installed for a workspace of ours. */
export function versionIn(workspace: string, name: string): string {
  const manifest = join(root, workspace, 'node_modules', name, 'package.json')
  return JSON.parse(readFileSync(manifest, 'utf8')).version
}

/** Installs packages with npm as an application would, and tells what that came to. */
export async function installInto(
  cwd: string,
  names: readonly string[],
  versions: Readonly<Record<string, string>>,
): Promise<{ megabytes: number; packages: number }> {
  const dependencies = Object.fromEntries(names.map((one) => [one, versions[one] ?? '']))
  const ours = Object.entries(versions).filter(([name]) => name.startsWith('@latchkey/'))
  const overrides = { ...Object.fromEntries(ours), ...dependencies }
  const manifest = { private: true, type: 'module', dependencies, overrides }
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest))
  await must('npm', ['install', '--omit=dev', '--no-audit', '--no-fund'], cwd)
  const { packages } = JSON.parse(readFileSync(join(cwd, 'package-lock.json'), 'utf8'))
  const bytes = Number((await must('du', ['-sb', 'node_modules'], cwd)).split('\t')[0])
  return { megabytes: bytes / 1e6, packages: Object.keys(packages).length - 1 }
}
