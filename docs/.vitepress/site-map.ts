import path from 'node:path'

/** The repository's root folder, where every document is looked for. */
export const root: string = path.resolve(import.meta.dirname, '../..')

/** Documents outside of `docs/` that are pages of the site, by the page's path. */
const elsewhere: Record<string, string> = {
  'ARCHITECTURE.md': 'project/architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'CODE_OF_CONDUCT.md': 'project/code-of-conduct.md',
  'CONTRIBUTING.md': 'project/contributing.md',
  'SECURITY.md': 'project/security.md',
  'bench/README.md': 'project/measurements.md',
}

/**
 * The page that a document of the repository becomes, both as paths with `/`: from the root and within
 * the site. `undefined` for a document that the site leaves out.
 */
export function pageOf(document: string): string | undefined {
  const named = elsewhere[document]
  if (named) return named
  const [, name] = /^packages\/([^/]+)\/README\.md$/.exec(document) ?? []
  if (name) return `packages/${name}.md`
  return /^docs\/(.+\.md)$/.exec(document)?.[1]
}

/**
 * Where a link of a document leads on the site: another page, or the same address for links that are
 * not relative. `undefined` for a file that is no page.
 *
 * @param document - The document's path from the root.
 */
export function siteLink(document: string, href: string): string | undefined {
  if (/^([a-z][a-z0-9+.-]*:|\/|#)/i.test(href)) return href
  const [target = '', ...anchor] = href.split('#')
  const file = path.posix.join(path.posix.dirname(document), target).replace(/\/$/, '')
  const page = pageOf(file) ?? pageOf(`${file}/README.md`)
  return page && `/${[page, ...anchor].join('#')}`
}

/** The anchor of a heading, as Git hosts make it, so that one link works there and on the site. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}
