import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../scripts/packages.ts'

const run = promisify(execFile)
let folder: string

function git(...args: string[]) {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  return run('git', [...identity, '-c', 'core.commentChar=#', ...args], { cwd: folder })
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'latchkey-commits-'))
  await git('init', '--quiet')
  await git('config', 'core.hooksPath', path.join(root, '.githooks'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const commit = (message: string) => git('commit', '--allow-empty', '--quiet', '-m', message)

test.each([
  [
    'a kind, one idea and a reason',
    'fix(core): a lost cookie is told\n\nIt read as a login that was begun twice.',
  ],
  ['several packages', 'feat(core,express)!: guards ask once\n\nTwo lookups cost a trip.'],
  ['a revert', 'Revert "fix: something"'],
  ['a commit that will be squashed', 'fixup! fix: something'],
])('a commit with %s is made', async (_name, message) => {
  await commit(message)
  const { stdout } = await git('log', '-1', '--format=%B')
  expect(stdout.trim()).toBe(message)
})

test.each([
  ['without a kind', 'Update things\n\nThey were old.', /must begin with a kind \(feat fix docs/],
  ['with an unknown kind', 'feature: login\n\nIt was missing.', /must begin with a kind/],
  [
    'without a body',
    'fix: a lost cookie is told',
    /has no body\. Add an empty line and the reason/,
  ],
  [
    'with trailers alone',
    'fix: a lost cookie\n\nSigned-off-by: Ada <ada@example.com>',
    /has no body/,
  ],
  ['with a long subject', `fix: ${'words '.repeat(20)}\n\nA reason.`, /more than 100 characters/],
])('a commit %s is refused, and says how it would be right', async (_name, message, reason) => {
  await expect(commit(message)).rejects.toMatchObject({ stderr: expect.stringMatching(reason) })
})
