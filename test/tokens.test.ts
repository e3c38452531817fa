import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { tokens } from '../packages/service/src/pages/tokens.ts'

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8')

/** `#fff` in its long form. */
const long = (color: string) => color.replace(/^#(\w)(\w)(\w)$/, '#$1$1$2$2$3$3')

/** The colors of a part of a style sheet, by their names. */
function colorsIn(text: string): Record<string, string> {
  const found = [...text.matchAll(/--([\w-]+):\s*(#\w{3,6})\b/g)]
  return Object.fromEntries(found.map(([, name = '', color = '']) => [name, long(color)]))
}

/** The light and the dark colors of a style sheet, in which the dark ones come second. */
function themesIn(text: string): { light: Record<string, string>; dark: Record<string, string> } {
  const [light = '', dark = ''] = text.split(/@media\s*\(prefers-color-scheme:\s*dark\)/)
  return { light: colorsIn(light), dark: colorsIn(dark) }
}

const ours = themesIn(tokens)

/** The name that the pages of the kit and of the examples have for it is shorter. */
const nameOf = (name: string) => (name === 'on' ? 'on-accent' : name)

test('light and dark pages of the service have the same tokens', () => {
  expect(Object.keys(ours.dark)).toEqual(Object.keys(ours.light))
  expect(Object.keys(ours.light).length).toBeGreaterThan(12)
})

test('the console and the hosted pages have no colors and fonts but the tokens', () => {
  for (const path of ['pages/style.ts', 'console/frame/style.ts']) {
    const text = read(`packages/service/src/${path}`)
    expect(text.match(/#[0-9a-f]{3,8}\b(?=[;,) ])|sans-serif|monospace/g) ?? [], path).toEqual([])
  }
})

test('the pages of the kit have the colors of the service', () => {
  const kit = themesIn(read('packages/core/src/http/responses.ts'))
  for (const theme of ['light', 'dark'] as const) {
    const own = Object.entries(kit[theme])
    expect(own.length).toBeGreaterThan(9)
    for (const [name, color] of own)
      expect(`${name} ${color}`).toBe(`${name} ${ours[theme][nameOf(name)]}`)
  }
})

test('the examples have the colors of the service', () => {
  const pairs = [
    ...read('examples/shared/src/style.ts').matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g),
  ]
  expect(pairs.length).toBeGreaterThan(9)
  for (const [, name = '', light = '', dark = ''] of pairs) {
    const token = nameOf(name)
    expect(`${name} ${long(light)} ${long(dark)}`).toBe(
      `${name} ${ours.light[token]} ${ours.dark[token]}`,
    )
  }
})
