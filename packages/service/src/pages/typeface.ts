import { hash } from 'node:crypto'
import { fontFiles } from './font-files.ts'

/** A font file, and its path. */
interface FontFile {
  path: string
  bytes: Buffer
  /** The characters in the file, as `unicode-range` of CSS. */
  range: string
}

/**
 * The font files of Geist, the typeface of all pages. A browser loads the second file only for a
 * page with letters that the first file lacks.
 */
export const typeface: readonly FontFile[] = fontFiles.map(({ name, range, base64 }) => {
  const bytes = Buffer.from(base64, 'base64')
  const version = hash('sha256', bytes, 'hex').slice(0, 16)
  return { path: `/assets/geist-${name}-${version}.woff2`, bytes, range }
})

/**
 * The `@font-face` rules of the typeface, for all weights. Until a file is loaded, the browser uses
 * a system font.
 */
export const fontFaces: string = typeface
  .map(
    ({ path, range }) =>
      `@font-face { font-family: Geist; src: url(${path}) format("woff2"); font-weight: 100 900; font-display: swap; unicode-range: ${range}; }`,
  )
  .join('\n')

/** The `Link` header by which a browser loads the first font file early (RFC 8288). */
export const fontPreload: string = typeface
  .slice(0, 1)
  .map(({ path }) => `<${path}>; rel=preload; as=font; type="font/woff2"; crossorigin`)
  .join(', ')

/**
 * The headers of a response with a font file. A path names one version, so it is cached for a year.
 * Every origin may load the file, because a preview in the console has an opaque origin.
 */
export const fontHeaders: Readonly<Record<string, string>> = {
  'content-type': 'font/woff2',
  'cache-control': 'public, max-age=31536000, immutable',
  'access-control-allow-origin': '*',
}
