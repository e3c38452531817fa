import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of a package that npm installed for the tests. */
export function npmVersion(name: string): string {
  const manifest = join(import.meta.dirname, '../node_modules', name, 'package.json')
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/** The version of an installed Debian package without Debian's own part of it. */
export function debianVersion(name: string): string | undefined {
  try {
    const format = `--showformat=\${db:Status-Status} \${Version}`
    const found = execFileSync('dpkg-query', ['--show', format, name], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return /^installed (?:\d+:)?(\d[\d.]*\d)/.exec(found)?.[1]
  } catch {
    // No such package, or no Debian.
    return undefined
  }
}
