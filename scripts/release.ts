import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { packAll } from './pack.ts'
import { publishedPackages, root } from './packages.ts'
import { report, run } from './run.ts'

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

/** The digest of an image, the same in every registry. */
const DIGEST = /^sha256:[0-9a-f]{64}$/

/**
 * Writes everything that a release consists of into an empty folder, and publishes nothing: the tarballs, a bill of materials of
 * each in CycloneDX, the section of the changelog, the digest of the image where it was built, and the checksums of all these.
 *
 * @param digestFile - The file that `--digestfile` of buildah or Podman has written. Default: no image was built.
 * @returns Whether all of it was written.
 * @throws Error when the folder is not empty, or the file holds no digest.
 */
export async function writeReleaseFiles(folder: string, digestFile?: string): Promise<boolean> {
  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length > 0) throw new Error(`The folder ${folder} is not empty.`)
  const digest = digestFile === undefined ? undefined : readDigest(digestFile)
  if (!(await packAll(folder))) return false

  const out = path.join(folder, 'sbom-%s-%v.json')
  const format = ['--split', '--prod', '--sbom-format', 'cyclonedx', '--out', out]
  const bills = await run('pnpm', ['--filter', './packages/*', 'sbom', ...format], { cwd: root })
  if (!report('bills of materials', bills)) return false

  if (digest !== undefined) writeFileSync(path.join(folder, 'image-digest.txt'), `${digest}\n`)
  const [first] = publishedPackages()
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
  const notes = notesOf(changelog, first?.manifest.version ?? '')
  writeFileSync(path.join(folder, 'release-notes.md'), notes)
  writeFileSync(path.join(folder, 'SHA256SUMS'), checksumsOf(folder))
  return true
}

/** The section of the version; before it is written into the packages, that of the next one. */
function notesOf(changelog: string, version: string): string {
  return sectionOf(changelog, UNRELEASED.exec(changelog)?.[1] ?? version)
}

function readDigest(file: string): string {
  const digest = readFileSync(file, 'utf8').trim()
  if (DIGEST.test(digest)) return digest
  throw new Error(`${file} must hold the digest of an image, such as sha256:… with 64 hex digits.`)
}

/** A line for each file of a folder, as `sha256sum --check` reads it. */
export function checksumsOf(folder: string): string {
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const hash = createHash('sha256').update(readFileSync(path.join(folder, file)))
      return `${hash.digest('hex')}  ${file}\n`
    })
    .join('')
}

function changesets(): string {
  return path.join(root, 'node_modules/@changesets/cli/bin.js')
}

const USAGE = `Usage:
  npx pnpm release                      writes the next version into every package, and dates the changelog
  npx pnpm release notes <version>      prints the section of a version
  npx pnpm release files <folder> [digest file]
                                        writes tarballs, bills of materials, notes and checksums into a folder`

if (import.meta.main) {
  const [command, version, ...more] = process.argv.slice(2)
  const [digestFile] = more
  if (command === undefined) {
    prepareRelease(root, new Date().toISOString().slice(0, 10))
  } else if (command === 'notes' && version && more.length === 0) {
    const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
    console.log(sectionOf(changelog, version.replace(/^v/, '')))
  } else if (command === 'files' && version && more.length <= 1) {
    const isWhole = await writeReleaseFiles(path.resolve(version), digestFile)
    if (!isWhole) process.exitCode = 1
  } else {
    console.error(USAGE)
    process.exitCode = command === '--help' ? 0 : 2
  }
}
