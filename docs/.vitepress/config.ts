import { readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig, type MarkdownRenderer, type UserConfig } from 'vitepress'
import { codeThemes } from './code-themes.ts'
import { writeForAssistants } from './for-assistants.ts'
import { guidesFirst } from './guides-first.ts'
import { sidebar } from './sidebar.ts'
import { anchorOf, pageOf, root, siteLink } from './site-map.ts'

/** The mark of the site, within the page, so that it needs no request and no path. */
const mark = `data:image/svg+xml,${encodeURIComponent(
  readFileSync(path.join(root, 'docs/mark.svg'), 'utf8'),
)}`

export default defineConfig({
  title: 'Latchkey',
  description: 'Login for Node web applications, and the identity service behind it.',
  lang: 'en',
  // Package READMEs, ARCHITECTURE.md and others are pages too, where they are.
  srcDir: root,
  srcExclude: ['README.md', '.*/**', 'examples/**', 'packages/*/{src,test}/**'],
  outDir: path.join(root, 'docs/.vitepress/dist'),
  cacheDir: path.join(root, 'docs/.vitepress/cache'),
  ignoreDeadLinks: 'localhostLinks',
  rewrites: (document) => pageOf(document) ?? document,
  buildEnd: ({ pages, outDir }) => writeForAssistants(pages, outDir),
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: mark }]],
  markdown: {
    anchor: { slugify: anchorOf },
    config: (markdown) => markdown.use(linkPages).use(tickBoxes).use(emptyHeaders),
    theme: codeThemes,
  },
  themeConfig: {
    logo: { src: mark, alt: '' },
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions: { boostDocument: guidesFirst } } },
    },
    nav: [
      { text: 'Your application', link: '/guides/getting-started' },
      { text: 'Our service', link: '/guides/running-the-service' },
      { text: 'Extend', link: '/guides/write-an-adapter' },
      { text: 'Error codes', link: '/errors' },
      { text: 'Reference', link: '/reference/@latchkey/express', activeMatch: '^/reference/' },
      { text: 'Project', link: '/project/architecture', activeMatch: '^/(project|decisions)/' },
    ],
    sidebar,
    externalLinkIcon: true,
  },
  vite: { plugins: [resolveVueFromHere()], server: { fs: { allow: [root] } } },
})

/** Links between documents become links between pages; those to other files become plain text. */
function linkPages(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('latchkey-links', ({ tokens, env }) => {
    const document = path.relative(root, env.realPath ?? env.path).replaceAll(path.sep, '/')
    for (const inline of tokens) {
      let isDropped = false
      inline.children = (inline.children ?? []).filter((token) => {
        if (token.type === 'link_close') return !isDropped
        if (token.type !== 'link_open') return true
        const link = siteLink(document, token.attrGet('href') ?? '')
        isDropped = link === undefined
        if (link !== undefined) token.attrSet('href', link)
        return !isDropped
      })
    }
  })
}

/** `- [ ]` becomes a box to tick, as on Git hosts. Nothing remembers the ticks. */
function tickBoxes(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('latchkey-boxes', ({ tokens, Token }) => {
    for (const { children } of tokens) {
      const [first] = children ?? []
      if (!first?.content.startsWith('[ ] ')) continue
      const box = new Token('html_inline', '', 0)
      box.content = '<input type="checkbox" aria-label="Done"> '
      first.content = first.content.slice(4)
      children?.unshift(box)
    }
  })
}

/** A column without a heading has no header cell: screen readers would announce an empty one. */
function emptyHeaders(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('latchkey-headers', ({ tokens }) => {
    tokens.forEach((token, at) => {
      if (token.type !== 'th_open' || tokens[at + 1]?.content !== '') return
      for (const one of [token, tokens[at + 2]]) if (one) one.tag = 'td'
    })
  })
}

/** Pages outside of `docs/` find Vue where the site's own are, for it is installed there alone. */
function resolveVueFromHere(): NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number] {
  return {
    name: 'latchkey-vue',
    enforce: 'pre',
    resolveId(source) {
      if (!/^vue(\/|$)/.test(source)) return null
      return this.resolve(source, import.meta.filename, { skipSelf: true })
    },
  }
}
