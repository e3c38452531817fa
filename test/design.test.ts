import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { colorTokens, samples } from '../docs/design-samples.ts'
import { stylesheet as consoleSheet } from '../packages/service/src/console/frame/style.ts'
import { styleOf } from '../packages/service/src/pages/style.ts'

const consoleSource = readFileSync(
  new URL('../packages/service/src/console/frame/style.ts', import.meta.url),
  'utf8',
)

const schemes = ['light', 'dark'] as const

/** The classes of the elements of a page. */
const usedIn = (html: string): Set<string> =>
  new Set([...html.matchAll(/ class="([^"]+)"/g)].flatMap(([, names = '']) => names.split(' ')))

/** The classes for which a style sheet has rules. */
const ruledIn = (css: string): Set<string> =>
  new Set([...css.matchAll(/\.([a-z][\w-]*)(?=[^{}]*\{)/g)].map(([, name = '']) => name))

describe('the samples of the page "How pages look"', () => {
  test('show every color with its value', () => {
    for (const scheme of schemes) {
      const page = samples.colors?.(scheme) ?? ''
      for (const [name, value] of Object.entries(colorTokens(scheme)))
        expect(page).toContain(`--${name}</code><small>${value}<`)
    }
  })

  test('have texts that can be read on their backgrounds', () => {
    for (const scheme of schemes) {
      const ratios = [...(samples.colors?.(scheme) ?? '').matchAll(/<small>([\d.]+) : 1</g)]
      expect(ratios.length).toBeGreaterThan(12)
      for (const [, ratio] of ratios) expect(Number(ratio)).toBeGreaterThanOrEqual(4.5)
    }
  })

  test.each([
    ['hosted', styleOf({}).css],
    ['console', consoleSheet],
  ])('of %s pages have no class that the style sheet does not know', (name, css) => {
    const ruled = ruledIn(css)
    expect([...usedIn(samples[name]?.('light') ?? '')].filter((one) => !ruled.has(one))).toEqual([])
  })

  test('have all that the console names at the head of its style sheet', () => {
    const rows = [...consoleSource.matchAll(/^ \* \| (`.+?) +\|/gm)].map(([, cell = '']) => cell)
    const named = rows.flatMap((cell) =>
      [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split(/ |\./)),
    )
    expect(named.length).toBeGreaterThan(40)
    const used = usedIn(samples.console?.('light') ?? '')
    const isElement = new Set(['table', 'td', 'th', 'code', 'button', 'a', 'iframe'])
    const ids = new Set(['#api-names'])
    expect(named.filter((one) => !used.has(one) && !isElement.has(one) && !ids.has(one))).toEqual(
      [],
    )
  })

  test('are light or dark for readers who prefer the other', () => {
    for (const [name, sampleIn] of Object.entries(samples))
      for (const scheme of schemes) {
        expect(sampleIn(scheme), name).toContain(`color-scheme: ${scheme}`)
        expect(sampleIn(scheme), name).not.toContain('prefers-color-scheme')
      }
  })
})
