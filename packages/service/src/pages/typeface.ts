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

/** The rules by which a style sheet has the type face, in every weight. Until its file has come, a page is in the system's. */
export const fontFaces: string = typeface
  .map(
    ({ path, range }) =>
      `@font-face { font-family: Geist; src: url(${path}) format("woff2"); font-weight: 100 900; font-display: swap; unicode-range: ${range}; }`,
  )
  .join('\n')

/** The `Link` header by which a browser asks for the letters of a page before it has read the page (RFC 8288). */
export const fontPreload: string = typeface
  .slice(0, 1)
  .map(({ path }) => `<${path}>; rel=preload; as=font; type="font/woff2"; crossorigin`)
  .join(', ')

/**
 * The headers of a response with a file of the type face, which never changes. It is for every origin: a preview in the console
 * is a page without an origin.
 */
export const fontHeaders: Readonly<Record<string, string>> = {
  'content-type': 'font/woff2',
  'cache-control': 'public, max-age=31536000, immutable',

  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'same-origin',
}
