import { findLogo } from '../domain/tenants/logos.ts'
import { brandOf } from '../domain/tenants/tenant-features.ts'
import { firstSteps, isSignupOpen } from '../domain/ways/login-methods.ts'
import { passwordPolicy } from '../domain/ways/password-policy.ts'
import type { DomainContext } from '../domain/writes/context.ts'
import { brandingOf } from '../issuer/requests/branding.ts'
import { accentsOf, type Language, type LoginWay, renderPage, styleOf } from '../pages/index.ts'
import type { Connection, Tenant, TenantLogo } from '../store/records.ts'
import { message, type Sentence, type Text } from './texts/index.ts'

/** The login page of a tenant in both color schemes, to be shown in frames that run, send and open nothing. */
export interface LoginPreview {
  /** The page by its scheme. */
  readonly pages: Readonly<Record<Scheme, string>>
  /** The hashes of the style sheets, and the image above the page: the policy of the page around the frames allows them. */
  readonly styleHashes: readonly string[]
  readonly image: string | undefined
  /** The colors that it has in place of one that could not be read. */
  readonly notes: readonly Text[]
}

type Scheme = 'light' | 'dark'

const schemes = ['light', 'dark'] as const

/**
 * The URL of a tenant's logo in previews. An uploaded image is a data URL, so that an operator's browser sends no request to
 * the domain of the tenant.
 */
export async function previewLogo(
  context: DomainContext,
  tenant: Tenant,
): Promise<string | undefined> {
  const { logo } = tenant
  if (!logo) return brandOf(tenant).logoUrl
  const bytes = await findLogo(context, tenant, logo.hash)
  return bytes && dataUrl(logo, bytes)
}

/** The data URL of an image. */
export function dataUrl({ type }: Pick<TenantLogo, 'type'>, bytes: Buffer): string {
  return `data:${type};base64,${bytes.toString('base64')}`
}

/** The login page as its visitors see it first, with the connections that are offered and a logo from a URL. */
export function loginPreview(
  tenant: Tenant,
  connections: readonly Connection[],
  language: Language,
  logoUrl: string | undefined,
): LoginPreview {
  const branding = { ...brandingOf(tenant), language, logoUrl }
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
    image: logoUrl?.startsWith('data:') ? 'data:' : logoUrl,
    notes: branding.color === undefined ? [] : notesOn(branding.color),
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
