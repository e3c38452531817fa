import { findLogo } from '../../domain/tenants/logos.ts'
import { brandOf } from '../../domain/tenants/tenant-features.ts'
import { firstSteps, isSignupOpen } from '../../domain/ways/login-methods.ts'
import { passwordPolicy } from '../../domain/ways/password-policy.ts'
import type { DomainContext } from '../../domain/writes/context.ts'
import { brandingOf } from '../../issuer/requests/branding.ts'
import { accentsOf, type Language, type LoginWay, renderPage, styleOf } from '../../pages/index.ts'
import type { Connection, Tenant, TenantLogo } from '../../store/records.ts'
import { message, type Sentence, type Text } from '../texts/index.ts'

/** The login page of a tenant in both color schemes, to be shown in frames that run, send and open nothing. */
export interface LoginPreview {
  /** The page by its scheme. */
  readonly pages: Readonly<Record<Scheme, string>>
  /** The hashes of the style sheets, and the source of the image above the page: the policy of the page around the frames allows them. */
  readonly styleHashes: readonly string[]
  readonly image: 'data:' | undefined
  /** The differences from the page that users see: a placeholder for the image, and colors in place of one that could not be read. */
  readonly notes: readonly Text[]
}

type Scheme = 'light' | 'dark'

const schemes = ['light', 'dark'] as const

/** The picture in place of a logo that is linked. It can be seen on light and on dark pages. */
const PLACEHOLDER = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" width="140" height="40" font-family="sans-serif" font-size="15">
<rect x="1" y="1" width="138" height="38" rx="6" fill="none" stroke="#7b8092" stroke-width="1.5" stroke-dasharray="5 4"/>
<text x="70" y="25" fill="#7b8092" text-anchor="middle">Logo</text></svg>`,
)}`

/** The address of a tenant's logo at another host, if that is the one that users see. */
function linkedLogo(tenant: Tenant): string | undefined {
  return tenant.logo ? undefined : brandOf(tenant).logoUrl
}

/** The sentence about the placeholder of a linked logo. */
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
 * The URL of a tenant's logo in previews, from which an operator's browser sends no request to another host: an uploaded
 * image is a data URL, and a linked one is a placeholder.
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

/** The login page as its visitors see it first, with the connections that are offered and a logo from a data URL. */
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

/** The sign-up page as its visitors see it first, in both color schemes. */
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

/** The page as its scripts show it, without the scripts: buttons for passkeys are hidden until one runs. */
function withoutScripts(html: string): string {
  return html
    .replace(/<script [^>]*><\/script>\n|<noscript>.*?<\/noscript>/gs, '')
    .replace(/(<form [^>]* data-key="get"[^>]*) hidden>/g, '$1>')
}

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
