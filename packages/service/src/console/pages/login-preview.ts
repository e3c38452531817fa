import { findLogo } from '../../domain/tenants/logos.ts'
import { brandOf } from '../../domain/tenants/tenant-features.ts'
import { firstSteps, isSignupOpen } from '../../domain/ways/login-methods.ts'
import { passwordPolicy } from '../../domain/ways/password-policy.ts'
import type { DomainContext } from '../../domain/writes/context.ts'
import { brandingOf } from '../../issuer/requests/branding.ts'
import { accentsOf, type Language, type LoginWay, renderPage, styleOf } from '../../pages/index.ts'
import type { Connection, Tenant, TenantLogo } from '../../store/records.ts'
import { message, type Sentence, type Text } from '../texts/index.ts'

/**
 * The login page of a tenant in both color schemes, for sandboxed frames: its scripts, forms and
 * links do nothing there.
 */
export interface LoginPreview {
  /** The page as HTML, by its color scheme. */
  readonly pages: Readonly<Record<Scheme, string>>
  /**
   * The SHA-256 hashes of the style sheets in base64. The Content-Security-Policy of the page
   * around the frames allows them.
   */
  readonly styleHashes: readonly string[]
  /** The source of the logo, which that policy allows too; `undefined` without a logo. */
  readonly image: 'data:' | undefined
  /**
   * Notes for the operator: a linked logo is replaced by a placeholder here, or a color was
   * adjusted to be readable.
   */
  readonly notes: readonly Text[]
}

type Scheme = 'light' | 'dark'

const schemes = ['light', 'dark'] as const

/**
 * The image that stands for a linked logo, as a data URL. It is visible on light and on dark pages.
 */
const PLACEHOLDER = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" width="140" height="40" font-family="sans-serif" font-size="15">
<rect x="1" y="1" width="138" height="38" rx="6" fill="none" stroke="#7b8092" stroke-width="1.5" stroke-dasharray="5 4"/>
<text x="70" y="25" fill="#7b8092" text-anchor="middle">Logo</text></svg>`,
)}`

/**
 * The URL of a tenant's logo at another host; `undefined` if the tenant has no such URL, or if an
 * uploaded logo is shown instead.
 */
function linkedLogo(tenant: Tenant): string | undefined {
  return tenant.logo ? undefined : brandOf(tenant).logoUrl
}

/** The sentence about the placeholder of a linked logo; `undefined` if no logo is linked. */
export function logoNote(tenant: Tenant): Text | undefined {
  const address = linkedLogo(tenant)
  return address === undefined
    ? undefined
    : message(
        'The logo is at {address} and is shown to users. A preview asks no other host, so a placeholder stands in its place.',
        { address },
      )
}

/**
 * The URL of a tenant's logo in previews: a data URL of an uploaded image, or of the placeholder
 * for a linked image. So a preview makes an operator's browser send no request to another host.
 */
export async function previewLogo(
  context: DomainContext,
  tenant: Tenant,
): Promise<string | undefined> {
  const { logo } = tenant
  if (!logo) return linkedLogo(tenant) && PLACEHOLDER
  const bytes = await findLogo(context, tenant, logo.hash)
  return bytes && dataUrl(logo, bytes)
}

/** The data URL of an image. */
export function dataUrl({ type }: Pick<TenantLogo, 'type'>, bytes: Buffer): string {
  return `data:${type};base64,${bytes.toString('base64')}`
}

/**
 * Renders the login page as visitors first see it, in both color schemes.
 *
 * @param connections - The connections that the page offers.
 * @param logoUrl - A data URL, such as {@link previewLogo} returns.
 */
export function loginPreview(
  tenant: Tenant,
  connections: readonly Connection[],
  language: Language,
  logoUrl: string | undefined,
): LoginPreview {
  const branding = { ...brandingOf(tenant), language, logoUrl }
  const linked = logoNote(tenant)
  const pageIn = (scheme: Scheme) =>
    renderPage(
      'login',
      { ...branding, scheme },
      {
        csrf: '',
        email: '',
        ways: firstSteps(tenant.settings).map(wayOf),
        social: { action: '', connections: connections.map(({ id, name }) => ({ id, name })) },
        signupPath: isSignupOpen(tenant.settings) ? '#' : undefined,
      },
    ).html
  return {
    pages: { light: withoutScripts(pageIn('light')), dark: withoutScripts(pageIn('dark')) },
    styleHashes: schemes.map((scheme) => styleOf({ ...branding, scheme }).hash),
    image: logoUrl === undefined ? undefined : 'data:',
    notes: [
      ...(linked === undefined ? [] : [linked]),
      ...(branding.color === undefined ? [] : notesOn(branding.color)),
    ],
  }
}

function wayOf(kind: LoginWay['kind']): LoginWay {
  switch (kind) {
    case 'password':
      return { kind, action: '', resetPath: '#' }
    case 'totp_email':
      return { kind, action: '' }
    case 'hardware':
      return { kind, action: '', options: '' }
  }
}

/** Renders the sign-up page as visitors first see it, in both color schemes. */
export function signupPreview(
  tenant: Tenant,
  connections: readonly Connection[],
  language: Language,
  logoUrl: string | undefined,
): Readonly<Record<Scheme, string>> {
  const { least, asksRanges } = passwordPolicy(tenant)
  const pageIn = (scheme: Scheme) =>
    renderPage(
      'signup',
      { ...brandingOf(tenant), logoUrl, language, scheme },
      {
        csrf: '',
        email: '',
        name: '',
        loginPath: '#',
        social: { action: '', connections: connections.map(({ id, name }) => ({ id, name })) },
        least,
        refusesLeaked: asksRanges,
      },
    ).html
  return { light: withoutScripts(pageIn('light')), dark: withoutScripts(pageIn('dark')) }
}

/**
 * Removes the scripts from a page, and shows the buttons for passkeys, which are hidden until a
 * script runs.
 */
function withoutScripts(html: string): string {
  return html
    .replace(/<script [^>]*><\/script>\n|<noscript>.*?<\/noscript>/gs, '')
    .replace(/(<form [^>]* data-key="get"[^>]*) hidden>/g, '$1>')
}

/** The notes about a color that pages replace by a more readable one. */
function notesOn(color: string): Text[] {
  const accents = accentsOf(color)
  return schemes
    .map((scheme) => ({ sentence: readable[scheme], instead: accents[scheme].accent }))
    .filter(({ instead }) => instead !== color)
    .map(({ sentence, instead }) => message(sentence, { color, instead }))
}

const readable = {
  light: 'On light pages, {color} is {instead}, so that it can be read.',
  dark: 'On dark pages, {color} is {instead}, so that it can be read.',
} as const satisfies Record<string, Sentence>
