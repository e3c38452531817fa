import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../../..')

/** The sources of the last release with what they depend on, from its commit: the folder of its service. */
export function earlierRelease(): string {
  const commit = commitOfRelease()
  const folder = join(tmpdir(), `latchkey-release-${commit}`)
  if (!existsSync(folder)) {
    const draft = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
    const run = (command: string) =>
      execFileSync('sh', ['-euc', command], { cwd: draft, stdio: ['ignore', 'ignore', 'inherit'] })
    run(`git -C '${root}' archive '${commit}' | tar x`)
    run('npx pnpm install --frozen-lockfile --prefer-offline --filter @latchkey/service...')
    renameSync(draft, folder)
  }
  return join(folder, 'packages/service')
}

/** That of the last tag; in a clone without tags, the last earlier commit that changed the version. */
function commitOfRelease(): string {
  const tagged = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-creatordate').split(
    '\n',
  )[0]
  const commit = tagged
    ? git('rev-list', '-1', tagged)
    : git(
        'log',
        '-1',
        '--format=%H',
        '-G^  "version":',
        'HEAD^',
        '--',
        'packages/service/package.json',
      )
  if (commit === '') throw new Error('This clone does not have the commit of the last release.')
  return commit.slice(0, 12)
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()
}
