import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeForAssistants } from '../docs/.vitepress/for-assistants.ts'
import { pageOf } from '../docs/.vitepress/site-map.ts'
import { root } from '../scripts/packages.ts'

/** Pages that the build of the site writes, and no clone has. */
const isGenerated = (link: string): boolean => link.startsWith('/reference/')

test('llms.txt lists the Markdown of pages that are there, and their links lead to one another', () => {
  const documents = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'bench/README.md'], {
    cwd: root,
    exclude: ['**/node_modules/**', 'docs/.vitepress/**', 'docs/reference/**'],
  }).filter((document) => pageOf(document) !== undefined)
  const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-site-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeForAssistants(documents, folder)

  const linksOf = (file: string): string[] =>
    [
      ...readFileSync(path.join(folder, file), 'utf8')
        .replace(/^ *```[\s\S]*?^ *```|`[^`\n]*`/gm, '')
        .matchAll(/\]\((\/[^)#]*)/g),
    ].map(([, link = '']) => link)
  const isMissing = (link: string): boolean =>
    !isGenerated(link) && !existsSync(path.join(folder, link))
  const listed = linksOf('llms.txt')
  expect(listed).toContain('/guides/runbook.md')
  expect(listed).toContain('/packages/express.md')
  expect(listed.filter(isMissing)).toEqual([])

  const pages = globSync('**/*.md', { cwd: folder })
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter(isMissing)
      .map((link) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
  expect(pages.length).toBeGreaterThan(100)
  const guide = readFileSync(path.join(folder, 'guides/runbook.md'), 'utf8')
  expect(guide).toContain('[several processes](/guides/scaling.md)')
  // Code keeps the name of the file that is tested.
  expect(guide).toContain('<!-- examples/guides/shell/runbook/first-day.sh -->')
})
