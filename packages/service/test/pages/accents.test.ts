import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accentsOf } from '../../src/pages/accents.ts'

/** The contrast of WCAG 2.2, written a second time. */
function contrast(a: string, b: string): number {
  const [x = 0, y = 0] = [a, b].map((color) => {
    const [r = 0, g = 0, bl = 0] = [1, 3, 5].map((at) => {
      const c = Number.parseInt(color.slice(at, at + 2), 16) / 255
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl
  })
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

const colors = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((n) => `#${n.toString(16).padStart(6, '0')}`)

test('links and buttons in any color can be read, on light and on dark pages', () => {
  fc.assert(
    fc.property(colors, (color) => {
      const { light, dark } = accentsOf(color)
      for (const name of ['accent', 'strong'] as const) {
        for (const background of ['#ffffff', '#f3f4f8', light.onAccent])
          expect(contrast(light[name], background)).toBeGreaterThanOrEqual(7)
        for (const background of ['#0f111a', '#191c28', dark.onAccent])
          expect(contrast(dark[name], background)).toBeGreaterThanOrEqual(7)
      }
    }),
  )
})

test('a color that can be read already stays as it is', () => {
  expect(accentsOf('#7a1f5c').light.accent).toBe('#7a1f5c')
  expect(accentsOf('#ffd166').dark.accent).toBe('#ffd166')
})
