import { accentsOf } from './accents.ts'
import type { Branding } from './pages.ts'

/** The name at the top of a page: the logo text, or else the company's name. */
export function brandName({
  logoText,
  companyName,
}: Pick<Branding, 'logoText' | 'companyName'>): string {
  return logoText || companyName
}

/** The first letter of a name, in upper case; empty for an empty name. */
export function initialOf(name: string): string {
  return [...name][0]?.toUpperCase() ?? ''
}

/** The icon of a tenant's pages: its initial on its color, as an SVG image. */
export function markOf(branding: Pick<Branding, 'logoText' | 'companyName' | 'color'>): string {
  const { accent, onAccent } = accentsOf(branding.color).light
  const initial = initialOf(brandName(branding)).replace(
    /[&<>]/g,
    (char) => `&#${char.charCodeAt(0)};`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="${accent}"/><text x="16" y="22.5" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="19" fill="${onAccent}">${initial}</text></svg>`
}

/** The paths of the icon. Browsers request `/favicon.ico` without a link to it. */
export const markPaths: readonly string[] = ['/favicon.svg', '/favicon.ico']

/**
 * The headers of a response with the icon. Browsers cache the icon for only an hour, because a
 * tenant can change it.
 */
export const markHeaders: Readonly<Record<string, string>> = {
  'content-type': 'image/svg+xml',
  'cache-control': 'public, max-age=3600',
  'content-security-policy': "default-src 'none'",
}
