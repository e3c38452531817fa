import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './packages.ts'

const UNRELEASED = /^## (\d+\.\d+\.\d+) \(unreleased\)$/m
const COVERED = /\n*<!-- Changesets of this section:\n(.*?)\n-->/s

/**
 * Writes the version of the next release into every package and dates its section of the changelog.
 *
 * @throws Error when the section is missing, does not cover a changeset, or has another version than the
 *   changesets ask for.
 */
export function prepareRelease(folder: string, day: string): void {
  const file = path.join(folder, 'CHANGELOG.md')
  const changelog = readFileSync(file, 'utf8')
  const [heading, version] = UNRELEASED.exec(changelog) ?? []
  if (!heading) throw new Error('CHANGELOG.md has no section "## <version> (unreleased)".')

  const missing = uncovered(folder, changelog)
  if (missing.length > 0) {
    throw new Error(
      `CHANGELOG.md does not cover these changesets: ${missing.join(', ')}. Write a line about each, and add its name to the comment below the section.`,
    )
  }
  execFileSync(process.execPath, [changesets(), 'version'], { cwd: folder, stdio: 'inherit' })
  const manifest = readFileSync(path.join(folder, 'packages/core/package.json'), 'utf8')
  const released = JSON.parse(manifest).version
  if (released !== version) {
    throw new Error(`The packages are ${released} now, and CHANGELOG.md says ${version}.`)
  }
  writeFileSync(file, changelog.replace(heading, `## ${version} (${day})`).replace(COVERED, ''))
}

/** The changesets that the changelog says nothing about. */
function uncovered(folder: string, changelog: string): string[] {
  const covered = new Set(COVERED.exec(changelog)?.[1]?.split('\n'))
  return globSync('.changeset/*.md', { cwd: folder })
    .map((name) => path.basename(name, '.md'))
    .filter((name) => name !== 'README' && !covered.has(name))
    .sort()
}

/** The section of one version, without its heading: the text of the release. */
export function sectionOf(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m)
  const section = sections.find((text) => text.startsWith(`## ${version} `))
  if (!section) throw new Error(`CHANGELOG.md has no section of ${version}.`)
  return section.replace(/^.*\n+/, '').replace(COVERED, '')
}

function changesets(): string {
  return path.join(root, 'node_modules/@changesets/cli/bin.js')
}

const USAGE = `Usage:
  npx pnpm release                      writes the next version into every package, and dates the changelog
  npx pnpm release notes <version>      prints the section of a version`

if (import.meta.main) {
  const [command, version, ...more] = process.argv.slice(2)
  if (command === undefined) {
    prepareRelease(root, new Date().toISOString().slice(0, 10))
  } else if (command === 'notes' && version && more.length === 0) {
    const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
    console.log(sectionOf(changelog, version.replace(/^v/, '')))
  } else {
    console.error(USAGE)
    process.exitCode = command === '--help' ? 0 : 2
  }
}
