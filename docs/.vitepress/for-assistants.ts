import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sidebar } from './sidebar.ts'
import { pageOf, root, siteLink } from './site-map.ts'

/**
 * Writes the Markdown of each page beside its HTML, and `llms.txt`, the list of all of them (llmstxt.org).
 *
 * @param documents - The documents that are pages, as paths from the root.
 * @param folder - The folder of the built site.
 */
export function writeForAssistants(documents: readonly string[], folder: string): void {
  for (const document of documents) {
    const file = path.join(folder, pageOf(document) ?? document)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, markdownOf(document, readFileSync(path.join(root, document), 'utf8')))
  }
  writeFileSync(path.join(folder, 'llms.txt'), listOfPages())
}

/** The text of a document with links that lead to the Markdown of other pages, and without those to files that are no pages. */
export function markdownOf(document: string, text: string): string {
  return text
    .split(/(^ *```[\s\S]*?^ *```|`[^`\n]*`)/m)
    .map((part, at) => (at % 2 === 1 ? part : withPages(document, part)))
    .join('')
}

function withPages(document: string, text: string): string {
  return text.replace(/(!?)\[([^[\]]*)\]\(([^()\s]+)\)/g, (all, image, words, href) => {
    if (image) return words
    const link = siteLink(document, href)
    return link === undefined ? words : link === href ? all : `[${words}](${link})`
  })
}

/** The parts of the navigation, with a link to each page. */
function listOfPages(): string {
  const parts = sidebar.map(({ text, items = [] }) => {
    const lines = items.map((item) => `- [${item.text}](${markdownLink(item.link ?? '/')})`)
    return `## ${text}\n\n${lines.join('\n')}\n`
  })
  const head =
    '# Latchkey\n\n> Login for Node web applications, and the identity service behind it.\n'
  return [head, ...parts].join('\n')
}

/** The Markdown of a page: `/guides/guards.md` of `/guides/guards`, and `/providers/index.md` of `/providers/`. */
const markdownLink = (link: string): string => `${link.replace(/\/$/, '/index')}.md`
