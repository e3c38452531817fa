/** The darkest background of links on light pages, and the lightest background on dark pages. */
const LIGHT = '#f3f4f8'
const DARK = '#191c28'

/** The minimum contrast of links and buttons (WCAG 2.2 §1.4.6). */
const CONTRAST = 7

type Rgb = [red: number, green: number, blue: number]

/** The colors of links and buttons on a page, such as `#3b46c8`. */
export interface Accents {
  accent: string
  /** The color of a link or button under the pointer. */
  strong: string
  /** The color of a button's text. */
  onAccent: string
}

/**
 * The colors of buttons and links in the tenant's color. The color is made darker on light pages,
 * and lighter on dark pages, until the contrast is sufficient.
 *
 * @param color - A color such as `#3b46c8`, which is the default.
 */
export function accentsOf(color = '#3b46c8'): { light: Accents; dark: Accents } {
  const light = readable(rgbOf(color), rgbOf(LIGHT), [0, 0, 0])
  const dark = readable(rgbOf(color), rgbOf(DARK), [255, 255, 255])
  return {
    light: accents(light, mixed(light, [0, 0, 0], 0.2), '#ffffff'),
    dark: accents(dark, mixed(dark, [255, 255, 255], 0.3), '#10142c'),
  }
}

function accents(accent: Rgb, strong: Rgb, onAccent: string): Accents {
  return { accent: hexOf(accent), strong: hexOf(strong), onAccent }
}

function readable(color: Rgb, background: Rgb, towards: Rgb): Rgb {
  let share = 0
  while (contrast(mixed(color, towards, share), background) < CONTRAST) share += 0.02
  return mixed(color, towards, share)
}

/** The contrast of two colors such as `#3b46c8`, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrastOf(a: string, b: string): number {
  return contrast(rgbOf(a), rgbOf(b))
}

function contrast(a: Rgb, b: Rgb): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

/** The relative luminance of a color (WCAG 2.2), from 0 to 1. */
function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mixed(color: Rgb, towards: Rgb, share: number): Rgb {
  const mix = (index: 0 | 1 | 2): number =>
    Math.round(color[index] + (towards[index] - color[index]) * Math.min(share, 1))
  return [mix(0), mix(1), mix(2)]
}

function rgbOf(color: string): Rgb {
  const part = (start: number): number => Number.parseInt(color.slice(start, start + 2), 16)
  return [part(1), part(3), part(5)]
}

function hexOf(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
