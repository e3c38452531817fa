import type { Page } from 'playwright-core'

/** The properties that give an element its look, but for those that depend on the fonts of a machine. */
const looks = [
  'color',
  'background-color',
  'font-size',
  'font-weight',
  'text-align',
  'padding',
  'border-radius',
  'border-color',
  'box-shadow',
]

/**
 * The beginning of a page in words: each element with its own text and its look, a line each. It is the same on every
 * machine; ids, ports and times are left out.
 *
 * @param within - The element that is drawn, as a selector. Default the whole body.
 */
export async function drawing(page: Page, elements: number, within = 'body'): Promise<string> {
  const lines =
    (await page.evaluate(`[...document.querySelector(${JSON.stringify(within)}).querySelectorAll('*')]
    .filter((one) => one.checkVisibility())
    .slice(0, ${elements})
    .map((one) => {
      const style = getComputedStyle(one)
      const text = [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join(' ')
      const look = ${JSON.stringify(looks)}.map((name) => style.getPropertyValue(name)).join(' | ')
      return [one.localName, one.getAttribute('class') ?? '', text.trim(), look].join(' ; ')
    })`)) as string[]
  return lines.map((line) => `${withoutChance(line)}\n`).join('')
}

/** A text without ids, times and ports, which differ with each run. */
export function withoutChance(text: string): string {
  return text
    .replace(/\b(usr|ten|app|crd|con|key)_[0-9a-z]{20,}/g, '$1_…')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '(time)')
    .replace(/\b\d\d:\d\d:\d\d\.\d{3}\b/g, '(time)')
    .replace(/\b1[789]\d{8}\b/g, '(seconds)')
    .replace(/localhost:\d+/g, 'localhost:…')
}
