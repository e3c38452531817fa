import type { IncomingMessage } from 'node:http'
import { lookUpApplication } from '../../domain/applications/applications.ts'
import { brandOf } from '../../domain/tenants/tenant-features.ts'
import {
  type Branding,
  chooseLanguage,
  type Language,
  type PageLink,
  type TextKey,
} from '../../pages/index.ts'
import { StoreError } from '../../store/errors.ts'
import type { Application, Tenant } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import type { IssuerContext } from '../context.ts'
import { issuerUrl } from './issuer-url.ts'

/** The branding of a tenant's page, and the language of the visitor. */
export function brandingFor(
  tenant: Tenant,
  request: IncomingMessage,
  uiLocales?: unknown,
): Branding & { language: Language } {
  const language = chooseLanguage(
    typeof uiLocales === 'string' ? uiLocales : undefined,
    request.headers['accept-language'],
  )
  return { language, ...brandingOf(tenant) }
}

/** The branding of a tenant's pages, without the language of the visitor. */
export function brandingOf(tenant: Tenant): Omit<Branding, 'language'> {
  const { companyName, logoImageText, supportEmail } = tenant.settings
  return {
    companyName,
    logoText: logoImageText,
    supportEmail,
    ...brandOf(tenant),
    isForOperators: tenant.id === SYSTEM_TENANT_ID,
    texts: tenant.texts,
  }
}

/**
 * The link to an application's login; `undefined` if the application has no login URL. The URL gets
 * the issuer as a parameter, as in a login that a third party initiates.
 *
 * @see OpenID Connect Core 1.0 §4
 */
export async function wayToApplication(
  context: IssuerContext,
  tenant: Tenant,
  applicationId: string | undefined,
  text: TextKey,
): Promise<PageLink | undefined> {
  const application = await findApplication(context, tenant, applicationId)
  const url = webUrl(application?.loginUrl)
  url?.searchParams.set('iss', issuerUrl(tenant.settings.domain, context))
  return application && url && wayTo(url, application, text)
}

/**
 * The link to the start page of an application: the root of its login URL or first redirect URL.
 */
export async function wayHome(
  context: IssuerContext,
  tenant: Tenant,
  applicationId: string | undefined,
): Promise<PageLink | undefined> {
  const application = await findApplication(context, tenant, applicationId)
  const url = webUrl(application?.loginUrl) ?? webUrl(application?.redirectUrls[0])
  return application && url && wayTo(new URL('/', url), application, 'continueTo')
}

/** A waiting time in words, such as `30 seconds`, rounded up to whole minutes or hours. */
export function waitIn(language: Language, seconds: number): string {
  const [, ...shorter] = units
  return inUnits(language, shorter.find(([, size]) => seconds >= 1.5 * size) ?? SECOND, seconds)
}

/** A duration in words, such as `30 days`, in the longest unit of which it is a whole number. */
export function durationIn(language: Language, seconds: number): string {
  return inUnits(language, units.find(([, size]) => seconds % size === 0) ?? SECOND, seconds)
}

type Unit = readonly [name: 'day' | 'hour' | 'minute' | 'second', seconds: number]

/** The units that are longer than a second. */
const units: readonly Unit[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

const SECOND: Unit = ['second', 1]

function inUnits(language: Language, [unit, size]: Unit, seconds: number): string {
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.ceil(seconds / size))
}

/**
 * Looks up an application. If the store has failed, `undefined`, so that the page can be shown
 * without a link.
 */
async function findApplication(
  { domain, logger }: IssuerContext,
  tenant: Tenant,
  id: string | undefined,
): Promise<Application | undefined> {
  try {
    return id === undefined ? undefined : await lookUpApplication(domain, tenant.id, id)
  } catch (err) {
    if (!(err instanceof StoreError)) throw err
    logger.error({ err }, 'A page has no way back, as the application could not be looked up.')
    return undefined
  }
}

function webUrl(text = ''): URL | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}

function wayTo(url: URL, { name }: Application, text: TextKey): PageLink {
  return { href: url.href, text, values: { application: name || url.host } }
}
