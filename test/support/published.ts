import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, type TestContext } from 'vitest'
import { run } from '../../scripts/run.ts'

/**
 * Installs a published program into a folder of its own, without its install scripts; returns the path of one of its files. Without
 * a registry, the test is skipped with the reason; in continuous integration it fails. `LATCHKEY_PUBLISHED` names a folder whose
 * `node_modules` has it already.
 *
 * @param spec - The package with its exact version, such as `mcp-remote@0.15.1`.
 */
export async function installPublished(
  { skip }: Pick<TestContext, 'skip'>,
  spec: string,
  file: string,
): Promise<string> {
  const path = join('node_modules', spec.slice(0, spec.lastIndexOf('@')), file)
  const known = join(process.env.LATCHKEY_PUBLISHED ?? '', path)
  if (process.env.LATCHKEY_PUBLISHED && existsSync(known)) return known
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-published-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const options = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
  const { code, output } = await run('npm', [...options, spec])
  if (code !== 0) {
    const [, reason = `npm ended with ${code}`] =
      /npm error (?:\w*Error:|\w*notarget|404|network) (.+)/.exec(output) ?? []
    const message = `${spec} was not tried: npm cannot install it (${reason}).`
    if (process.env.CI) throw new Error(message)
    skip(message)
  }
  return join(folder, path)
}
