import { createIdentityService } from '@latchkey/service'
import { beforeAll, describe, expect, test } from 'vitest'
import { anchorOf } from '../docs/.vitepress/site-map.ts'
import { type OpenApi, referencePage } from '../docs/openapi-page.ts'
import { statusOfCode } from '../packages/service/src/domain/writes/errors.ts'

let document: OpenApi
let page: string

beforeAll(async () => {
  const service = await createIdentityService()
  const answer = await service.fetch('http://localhost/x/v1/openapi.json')
  document = (await answer.json()) as OpenApi
  page = referencePage(document, statusOfCode)
  await service.close()
})

describe('the reference of the management API', () => {
  test('has each operation once, with its method and path', () => {
    const shown = [...page.matchAll(/^```http\n(.+)\n```$/gm)].map(([, line]) => line)
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(operations.length).toBeGreaterThan(40)
    expect(shown.sort()).toEqual(operations.sort())
  })

  test('has each parameter and each member of a body that counts', () => {
    for (const methods of Object.values(document.paths)) {
      for (const { summary, parameters = [], requestBody } of Object.values(methods)) {
        const section = page.split(`### ${summary}\n`)[1]?.split(/^##/m)[0] ?? ''
        for (const { name } of parameters) expect(section).toContain(`| \`${name}\` |`)
        const { schema } = requestBody?.content['application/json'] ?? {}
        for (const name of schema?.required ?? []) expect(section).toContain(`| \`${name}\` |`)
      }
    }
    expect(page).toContain('| `settings.remember_device_seconds` |')
  })

  test('leads from each of its links to a heading of its own', () => {
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => anchorOf(text))
    expect(headings).toEqual([...new Set(headings)])
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor)
    expect(links.filter((anchor) => !headings.includes(anchor))).toEqual([])
  })

  test('has each type of an event once', () => {
    const types = page.match(/^- `\w+\.\w+`: \S/gm) ?? []
    expect(types.length).toBeGreaterThan(20)
    expect(new Set(types).size).toBe(types.length)
    expect(page).not.toMatch(/^\|.*tenant\.updated/m)
  })

  test('has the status of each error code', () => {
    for (const [code, status] of Object.entries(statusOfCode)) {
      expect(page).toContain(`| [\`${code}\`](../errors.md#${code}) | ${status} |`)
    }
  })

  test('has tables of two columns alone, which a phone shows whole', () => {
    const rows = page.match(/^\|.*$/gm) ?? []
    expect(rows.length).toBeGreaterThan(200)
    expect(rows.filter((row) => row.split(/(?<!\\)\|/).length !== 4)).toEqual([])
  })
})
