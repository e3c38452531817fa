import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const ranges = JSON.parse(
  readFileSync(require.resolve('@fontsource-variable/geist/unicode.json'), 'utf8'),
) as Record<string, string>

function rangeOf(name: string): string {
  const range = ranges[name]
  if (!range) throw new Error(`The package of the type face has no characters of ${name}.`)
  return range
}

const fileOf = (name: string): string =>
  require.resolve(`@fontsource-variable/geist/files/geist-${name}-wght-normal.woff2`)

/**
 * The two font files that European languages need, as WOFF2 in base64. `range` has the characters
 * of a file, as `unicode-range` of CSS. The build copies the values into this module, for bundles.
 */
export const fontFiles: readonly { name: string; range: string; base64: string }[] = [
  'latin',
  'latin-ext',
].map((name) => ({
  name,
  range: rangeOf(name),
  base64: readFileSync(fileOf(name), 'base64'),
}))
