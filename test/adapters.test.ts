import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { frameworkNames, frameworkOf } from '../packages/create-latchkey/src/frameworks.ts'
import { kitSnippet } from '../packages/service/src/console/pages/kit-snippet.ts'
import { listsOfProviders } from '../scripts/lists.ts'
import { adapters, middlewareAdapters, root } from '../scripts/packages.ts'
import { trialOf } from '../scripts/trials.ts'

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')
const names = adapters().map(({ name }) => name)

test('an adapter is a package that says so, and there are some', () => {
  expect(names).toEqual(expect.arrayContaining(['express', 'nextjs']))
  expect(middlewareAdapters().map(({ name }) => name)).not.toContain('nextjs')
})

test.for(adapters())('$title can be chosen for a new application', ({ name, title }) => {
  expect(frameworkNames).toContain(name)
  expect(frameworkOf(name as (typeof frameworkNames)[number]).title).toBe(title)
})

test.for(adapters())(
  '$title has a guide, an example and a place in the README',
  ({ name, title }) => {
    const hasOwnGuide = name !== 'express'
    expect(existsSync(path.join(root, `docs/guides/${name}.md`))).toBe(hasOwnGuide)
    if (hasOwnGuide) expect(read('docs/guides/getting-started.md')).toContain(`(${name}.md)`)
    expect(read('README.md')).toMatch(new RegExp(`^\\| ${title}[ |].*\\(packages/${name}\\)`, 'm'))
    expect(read('docs/guides/webhooks.md')).toMatch(new RegExp(`^\\| ${title}[ |]`, 'm'))
    expect(existsSync(path.join(root, `examples/${hasOwnGuide ? name : 'three-routes'}`))).toBe(
      true,
    )
  },
)

test('the console has an application for every adapter that runs without a build of its own', () => {
  const input = { issuer: '', clientId: '', clientSecret: '', sessionSecret: '', loginUrl: '' }
  const shown = kitSnippet({ ...input, redirectUrls: [] }).applications
  const expected = adapters().filter(({ shape }) => shape !== 'pages')
  expect(shown.map(({ id, label }) => [id, label])).toEqual(
    expected.map(({ name, title }) => [name, title]),
  )
})

test.for(middlewareAdapters())(
  'an application on $title is made from the tarballs, and one is bundled',
  ({ name }) => {
    const files = Object.values(trialOf(name))
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
  },
)

test.for(middlewareAdapters().filter(({ name }) => name !== 'express'))(
  'a bench measures $title beside the usual login plugin',
  ({ name }) => {
    const folder = `packages/${name}/bench`
    expect(read(`${folder}/applications.ts`)).toContain(`async 'latchkey/${name}'(`)
    expect(JSON.parse(read(`${folder}/package.json`)).private).toBe(true)
  },
)

test('a provider is named in two lists, and in files that are about it', () => {
  expect(listsOfProviders()).toEqual([
    'docs/providers/index.md',
    'packages/management/src/doctor/provider-pages.ts',
  ])
})
