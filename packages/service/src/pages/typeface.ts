import { hash } from 'node:crypto'
import { fontFiles } from './font-files.ts'

/** A file of the type face, and where it is. */
interface FontFile {
  path: string
  bytes: Buffer
  /** The characters in it, as `unicode-range` of CSS. */
  range: string
}

/** The files of Geist, the type face of all pages. A browser asks for the second one only where a page has such letters. */
export const typeface: readonly FontFile[] = fontFiles.map(({ name, range, base64 }) => {
  const bytes = Buffer.from(base64, 'base64')
  const version = hash('sha256', bytes, 'hex').slice(0, 16)
  return { path: `/assets/geist-${name}-${version}.woff2`, bytes, range }
})

/** The `@font-face` rules of the type face, in every weight. A page is in the system's type face until the file is loaded. */
export const fontFaces: string = typeface
  .map(
    ({ path, range }) =>
      `@font-face { font-family: Geist; src: url(${path}) format("woff2"); font-weight: 100 900; font-display: swap; unicode-range: ${range}; }`,
  )
  .join('\n')

/** The `Link` header that makes a browser load the first file before it has read the page (RFC 8288). */
export const fontPreload: string = typeface
  .slice(0, 1)
  .map(({ path }) => `<${path}>; rel=preload; as=font; type="font/woff2"; crossorigin`)
  .join(', ')

/**
 * The headers of a response with a file of the type face, which never changes. Every origin may load it: a preview in the
 * console is a page without an origin.
 */
export const fontHeaders: Readonly<Record<string, string>> = {
  'content-type': 'font/woff2',
  'cache-control': 'public, max-age=31536000, immutable',
  'access-control-allow-origin': '*',
}
