import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { sidebar } from '../docs/.vitepress/sidebar.ts'
import { root } from '../scripts/packages.ts'

/** The guides of some parts of the navigation, with the words below their titles. */
function guidesOf(...parts: readonly string[]): { page: string; head: string }[] {
  return sidebar
    .filter(({ text = '' }) => parts.includes(text))
    .flatMap(({ items = [] }) => items.flatMap(({ link = '' }) => link))
    .filter((link) => link.startsWith('/guides/'))
    .map((page) => {
      const text = readFileSync(path.join(root, 'docs', `${page}.md`), 'utf8')
      return { page, head: text.split('\n\n')[1] ?? '' }
    })
}

/** Pages about the choice itself. */
const ABOUT_BOTH = new Set(['/guides/which-half', '/guides/faq'])

test('every guide for applications says below its title that any provider will do', () => {
  const guides = guidesOf('Your application', 'Frameworks', 'Coming from')
  expect(guides.length).toBeGreaterThan(25)
  const silent = guides.filter(
    ({ page, head }) => !ABOUT_BOTH.has(page) && !head.startsWith('> **Provider:** any.'),
  )
  expect(silent).toEqual([])
})

test('every guide about our service says below its title that it is needed', () => {
  const guides = guidesOf('Our service')
  expect(guides.length).toBeGreaterThan(7)
  expect(guides.filter(({ head }) => head !== '> **Provider:** our service.')).toEqual([])
})

test('every guide whose examples use "connection" says below its title where it comes from', () => {
  const folder = path.join(root, 'docs/guides')
  const users = readdirSync(folder)
    .filter((file) => file !== 'which-half.md')
    .map((file) => ({ file, text: readFileSync(path.join(folder, file), 'utf8') }))
    .filter(({ text }) => /\bconnection\b/.test((text.match(/```ts[\s\S]*?```/g) ?? []).join('')))
  expect(users.length).toBeGreaterThan(10)
  const explained = /^> .*\(which-half\.md#the-name-connection-in-the-guides\)/m
  expect(users.filter(({ text }) => !explained.test(text)).map(({ file }) => file)).toEqual([])
})

const guide = (file: string): string =>
  readFileSync(path.join(root, 'docs/guides', file), 'utf8').trimEnd()

/** The pages of a path that do not end with a link to the next one. */
function brokenSteps(files: readonly string[]): string[] {
  return files.filter((file, at) => {
    const next = files[at + 1]
    const [, last = ''] = /\nNext: (.+)$/.exec(guide(file)) ?? []
    return next !== undefined && !last.includes(`](${next})`)
  })
}

test('each page of the path of developers ends with a link to the next one', () => {
  const names = ['getting-started', 'routes', 'guards', 'sessions', 'testing', 'deployment']
  const files = [...names, 'production'].map((name) => `${name}.md`)
  expect(brokenSteps(files)).toEqual([])
})

test('each page of the path of operators ends with a link to the next one', () => {
  const first = 'running-the-service.md'
  const list = /^1\. .*?\n\n/ms.exec(guide(first))?.[0] ?? ''
  const following = [...list.matchAll(/^\d+\. \[[^\]]*\]\(([\w-]+\.md)\)/gm)].map(
    ([, file = '']) => file,
  )
  expect(following.length).toBeGreaterThan(7)
  expect(brokenSteps([first, ...following])).toEqual([])
})
