import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

const read = (name: string): Buffer => readFileSync(resolve(`@fontsource-variable/geist/${name}`))

const ranges = JSON.parse(read('unicode.json').toString()) as Record<string, string>

/**
 * The two parts of the type face that European languages need, as WOFF2 in base64, each with the characters that it has as
 * `unicode-range` of CSS. The build puts the values into this module, so that a bundle has them.
 */
export const fontFiles: readonly { name: string; range: string; base64: string }[] = [
  'latin',
  'latin-ext',
].map((name) => ({
  name,
  range: ranges[name] ?? '',
  base64: read(`files/geist-${name}-wght-normal.woff2`).toString('base64'),
}))
