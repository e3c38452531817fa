import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { parse } from 'node-html-parser'
import type { BrowserContext, Page } from 'playwright-core'
import { launchChromium, provideChromium } from '../support/chromium.ts'
import { keepPicture, overflows, violationsOf } from '../support/look.ts'
import { createSearch } from './search.ts'
import { searches } from './searches.ts'

// Looks at the built site: `npx pnpm docs:build && npx pnpm docs:check`. Words pick the pages whose path has one;
// --sample looks at the largest of each folder, and at links and the search of all.
const dist = path.resolve(import.meta.dirname, '../../docs/.vitepress/dist')
const PHONE = { width: 360, height: 640 }
const DESKTOP = { width: 1280, height: 800 }
/** Pages that are looked at on a desktop, too, and kept as pictures. */
const SHOWN = [
  'index',
  'guides/getting-started',
  'guides/which-half',
  'guides/comparison',
  'guides/faq',
  'reference/options',
]
/** As many pages are looked at side by side. */
const TABS = 2

const all = globSync('**/*.html', { cwd: dist }).map((file) => file.slice(0, -'.html'.length))
const isSample = process.argv.includes('--sample')
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
// The page for addresses that lead nowhere is VitePress's own.
const ours = all.filter((page) => page !== '404')
const pages = (isSample ? largestOf(ours) : ours).filter(
  (page) => words.length === 0 || words.some((word) => page.includes(word)),
)
const types: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.html': 'text/html',
  '.png': 'image/png',
}

let faults = 0
const begunAt = performance.now()
for (const fault of [...linkFaults(), ...listFaults()]) report(fault)
if (words.length === 0) for (const fault of await searchFaults()) report(fault)
await lookAtAll()
const seconds = ((performance.now() - begunAt) / 1000).toFixed(0)
console.log(`${pages.length} pages in ${seconds} s: ${faults} faults`)
if (faults > 0) process.exitCode = 1

function largestOf(names: readonly string[]): string[] {
  const sizeOf = (page: string) => statSync(path.join(dist, `${page}.html`)).size
  const folders = Map.groupBy(names, (page) => path.dirname(page))
  const largest = [...folders.values()].flatMap((folder) =>
    folder.sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, 1),
  )
  return [...new Set([...SHOWN, ...largest])]
}

function report(fault: string): void {
  faults += 1
  console.log(fault)
}

/** Links to pages and headings that are not there. VitePress looks for the pages alone. */
function linkFaults(): string[] {
  const documents = new Map(
    all.map((page) => [page, parse(readFileSync(path.join(dist, `${page}.html`), 'utf8'))]),
  )
  const ids = new Map(
    [...documents].map(([page, document]) => [
      page,
      new Set(document.querySelectorAll('[id]').map(({ id }) => id)),
    ]),
  )
  return [...documents].flatMap(([page, document]) =>
    document.querySelectorAll('a[href]').flatMap((link) => {
      const href = link.getAttribute('href') ?? ''
      const { origin, pathname, hash } = new URL(href, `http://site/${page}`)
      if (origin !== 'http://site') return []
      const target = pathname
        .slice(1)
        .replace(/\.html$/, '')
        .replace(/(^|\/)$/, '$1index')
      const found = ids.get(target)
      if (!found) return [`${page}: links to ${href}, which is no page`]
      const id = decodeURIComponent(hash.slice(1))
      return id && !found.has(id) ? [`${page}: links to ${href}, which is no heading`] : []
    }),
  )
}

/** Pages of `llms.txt` whose Markdown is not there. */
function listFaults(): string[] {
  const list = readFileSync(path.join(dist, 'llms.txt'), 'utf8')
  return [...list.matchAll(/\]\(([^)]+)\)/g)].flatMap(([, link = '']) =>
    existsSync(path.join(dist, link)) ? [] : [`llms.txt: links to ${link}, which is not there`],
  )
}

/** Words that do not lead to their page within the first three results. */
async function searchFaults(): Promise<string[]> {
  const search = await createSearch()
  return Object.entries(searches).flatMap(([word, wanted]) => {
    const found = search(word).slice(0, 3)
    if (wanted.some((page) => found.includes(page))) return []
    return [`a search for "${word}" finds ${found.join(', ')} and not ${wanted.join(' or ')}`]
  })
}

async function lookAtAll(): Promise<void> {
  provideChromium()
  const browser = await launchChromium()
  const server = await serve()
  const { port } = server.address() as AddressInfo
  const waiting = [...pages]
  const work = async (): Promise<void> => {
    const context = await browser.newContext({ viewport: PHONE, reducedMotion: 'reduce' })
    // Pages that are linked are not fetched ahead.
    await context.addInitScript(
      'Object.defineProperty(navigator, "connection", { value: { saveData: true } })',
    )
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const found = await lookAt(context, `http://127.0.0.1:${port}/`, name)
      for (const fault of found) report(`${name}: ${fault}`)
    }
    await context.close()
  }
  await Promise.all(Array.from({ length: TABS }, work))
  await browser.close()
  server.closeAllConnections()
  server.close()
}

/** The faults of a page on a phone, light and dark; on a desktop, too, for some. */
async function lookAt(context: BrowserContext, origin: string, name: string): Promise<string[]> {
  const page = await context.newPage()
  const found: string[] = []
  page.on('pageerror', (error) => found.push(`an error of a script: ${error.message}`))
  await page.goto(`${origin}${name}.html`, { waitUntil: 'load' })
  await page.waitForFunction('document.querySelector("#app")?.__vue_app__ !== undefined')
  if (await overflows(page)) found.push('is wider than a phone')
  found.push(...(await tallCells(page)))
  found.push(...(await violationsOf(page)))
  await page.evaluate('document.documentElement.classList.add("dark")')
  const dark = await violationsOf(page, true)
  // Not the stricter contrast of WCAG's level AAA.
  found.push(
    ...dark.filter((fault) => fault.startsWith('color-contrast:')).map((fault) => `dark: ${fault}`),
  )
  if (SHOWN.includes(name)) {
    await keepPicture(page, `site-${name.replaceAll('/', '-')}-phone-dark`)
    await page.setViewportSize(DESKTOP)
    await page.evaluate('document.documentElement.classList.remove("dark")')
    if (await overflows(page)) found.push('is wider than a desktop')
    found.push(...(await violationsOf(page)).map((fault) => `desktop: ${fault}`))
    await keepPicture(page, `site-${name.replaceAll('/', '-')}-desktop`)
  }
  await page.close()
  return found
}

/** Cells of tables that are taller than the phone: their column is too narrow to be read. */
async function tallCells(page: Page): Promise<string[]> {
  const tall = `[...document.querySelectorAll('.vp-doc td')]
    .filter((cell) => cell.offsetHeight > innerHeight)
    .map((cell) => cell.textContent.slice(0, 60))`
  return ((await page.evaluate(tall)) as string[]).map((text) => `a cell is too tall: ${text}`)
}

/** Serves the built site. */
async function serve(): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const file = path.join(dist, path.normalize(decodeURIComponent(pathname)))
    try {
      const body = readFileSync(file)
      response.setHeader('cache-control', 'max-age=3600')
      response.setHeader('content-type', types[path.extname(file)] ?? 'application/octet-stream')
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
