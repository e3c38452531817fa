import { globSync } from 'node:fs'
import path from 'node:path'
import MiniSearch from 'minisearch'
import { guidesFirst } from '../../docs/.vitepress/guides-first.ts'

const chunks = path.resolve(import.meta.dirname, '../../docs/.vitepress/dist/assets/chunks')

/** The pages that the search of the built site finds for some words, the best first. */
export async function createSearch(): Promise<(words: string) => string[]> {
  const [file] = globSync('@localSearchIndex*.js', { cwd: chunks })
  if (!file) throw new Error('The site is not built: run `npx pnpm docs:build` first.')
  const { default: index } = (await import(path.join(chunks, file))) as { default: string }
  // As the search box of VitePress has them.
  const search = MiniSearch.loadJSON<{ id: string }>(index, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: {
      fuzzy: 0.2,
      prefix: true,
      boost: { title: 4, text: 2, titles: 1 },
      boostDocument: guidesFirst,
    },
  })
  return (words) => {
    const pages = search
      .search(words)
      .map(({ id }) => String(id).replace(/^\/|(\.html)?(#.*)?$/g, ''))
    return [...new Set(pages)]
  }
}
