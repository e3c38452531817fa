import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publishedPackages, root } from '../scripts/packages.ts'
import { checksumsOf, prepareRelease, sectionOf, writeReleaseFiles } from '../scripts/release.ts'

const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
const hasUnreleased = /\(unreleased\)$/m.test(changelog)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'latchkey-release-'))
  const files = globSync(
    '{package.json,pnpm-workspace.yaml,CHANGELOG.md,.changeset/*,{packages,examples}/*/package.json,{test,bench}/package.json}',
    { cwd: root },
  )
  for (const file of files) cpSync(path.join(root, file), path.join(folder, file))
})
afterEach(() => rmSync(folder, { recursive: true }))

const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8')

/** Packages of version 0.1.0, a single changeset, and a changelog that covers it. */
function coverOne(version: string): void {
  for (const file of globSync('{packages,examples}/*/package.json', { cwd: folder })) {
    writeFileSync(
      path.join(folder, file),
      read(file).replace(/"version": ".*?"/, '"version": "0.1.0"'),
    )
  }
  for (const file of globSync('.changeset/*.md', { cwd: folder })) rmSync(path.join(folder, file))
  writeFileSync(
    path.join(folder, '.changeset/a-change.md'),
    '---\n"@latchkey/core": minor\n---\n\nIt is new.\n',
  )
  writeFileSync(
    path.join(folder, 'CHANGELOG.md'),
    `# Changelog\n\n## ${version} (unreleased)\n\n- It is new.\n\n<!-- Changesets of this section:\na-change\n-->\n\n## 0.1.0 (2026-01-01)\n\n- The first one.\n`,
  )
}

test('a release gives every package the same version, and its section the day', () => {
  coverOne('0.2.0')
  prepareRelease(folder, '2026-12-01')
  const versions = publishedPackages().map(({ folder: one }) => {
    return JSON.parse(read(path.join(path.relative(root, one), 'package.json'))).version
  })
  expect(new Set(versions)).toEqual(new Set(['0.2.0']))
  expect(globSync('.changeset/*.md', { cwd: folder })).toEqual([])
  expect(globSync('packages/*/CHANGELOG.md', { cwd: folder })).toEqual([])
  const released = read('CHANGELOG.md')
  expect(released).toContain('## 0.2.0 (2026-12-01)\n\n- It is new.\n\n## 0.1.0')
  expect(sectionOf(released, '0.2.0').trim()).toBe('- It is new.')
})

test.runIf(hasUnreleased)('the changesets come to the version that the changelog names', () => {
  const names = globSync('.changeset/*.md', { cwd: folder }).map((file) =>
    path.basename(file, '.md'),
  )
  const all = changelog.replace(
    /(<!-- Changesets of this section:\n).*?(\n-->)/s,
    `$1${names.join('\n')}$2`,
  )
  writeFileSync(path.join(folder, 'CHANGELOG.md'), all)
  prepareRelease(folder, '2026-12-01')
  expect(read('CHANGELOG.md')).toMatch(/^## \d+\.\d+\.\d+ \(2026-12-01\)$/m)
  expect(read('CHANGELOG.md')).not.toContain('<!--')
})

test('a release is refused while the changelog leaves a change out', () => {
  coverOne('0.2.0')
  writeFileSync(
    path.join(folder, '.changeset/forgotten.md'),
    '---\n"@latchkey/core": patch\n---\n\nForgotten.\n',
  )
  expect(() => prepareRelease(folder, '2026-12-01')).toThrow(
    'CHANGELOG.md does not cover these changesets: forgotten.',
  )
})

test('a release command with an unknown word explains itself and writes nothing', () => {
  for (const words of [['--help'], ['--dry-run'], ['note', '0.2.0'], ['notes'], ['files']]) {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/release.ts', ...words], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(stderr).toContain('Usage:')
    expect(status).toBe(words[0] === '--help' ? 0 : 2)
  }
  expect(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')).toBe(changelog)
})

test('a release is refused where the changelog names another version', () => {
  coverOne('0.3.0')
  expect(() => prepareRelease(folder, '2026-12-01')).toThrow(
    'The packages are 0.2.0 now, and CHANGELOG.md says 0.3.0.',
  )
})

test.runIf(hasUnreleased)('the changes that you have to act on come first in the changelog', () => {
  const [, version = ''] = /^## (\S+) \(unreleased\)$/m.exec(changelog) ?? []
  const groups = sectionOf(changelog, version).match(/^### .*$/gm)
  expect(groups).toEqual(['### Changed: you have to act', '### New', '### Fixed', '### Security'])
})

test('the checksums of a release are those that sha256sum finds', () => {
  const release = path.join(folder, 'release')
  mkdirSync(release)
  writeFileSync(path.join(release, 'b.tgz'), 'of b')
  writeFileSync(path.join(release, 'a file.json'), '{}')
  writeFileSync(path.join(release, 'SHA256SUMS'), checksumsOf(release))
  const { status, stdout } = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
    cwd: release,
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([0, 'a file.json: OK\nb.tgz: OK\n'])
})

test('the files of a release go into an empty folder, and a digest is checked before anything is built', async () => {
  await expect(writeReleaseFiles(folder)).rejects.toThrow('is not empty.')
  const digest = path.join(folder, 'digest')
  writeFileSync(digest, 'latest\n')
  const release = path.join(folder, 'release')
  await expect(writeReleaseFiles(release, digest)).rejects.toThrow(
    'must hold the digest of an image',
  )
  expect(globSync('*', { cwd: release })).toEqual([])
})
