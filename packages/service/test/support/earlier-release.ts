import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../../..')

/** The sources of the last release with what they depend on, from the tag: the folder of its service. */
export function earlierRelease(): string {
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v*').trim()
  const folder = join(tmpdir(), `latchkey-release-${git('rev-parse', '--short', tag).trim()}`)
  if (!existsSync(folder)) {
    const draft = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
    const run = (command: string) =>
      execFileSync('sh', ['-euc', command], { cwd: draft, stdio: ['ignore', 'ignore', 'inherit'] })
    run(`git -C '${root}' archive '${tag}' | tar x`)
    run('npx pnpm install --frozen-lockfile --prefer-offline --filter @latchkey/service...')
    renameSync(draft, folder)
  }
  return join(folder, 'packages/service')
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' })
}
