import { listApplications } from '../../../domain/applications/applications.ts'
import { listOperators } from '../../../domain/operators/operators.ts'
import { listTenants, lookUpTenant, searchTenants } from '../../../domain/tenants/tenants.ts'
import { searchUsers } from '../../../domain/users/users.ts'
import type { ServiceScope } from '../../../domain/writes/context.ts'
import type { Reach, Tenant } from '../../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../../store/system-tenant.ts'
import { type Call, type ConsoleRoute, type Result, servicePage } from '../../calls/call.ts'
import type { Found } from '../../pages/index.ts'
import { servicePages } from '../../pages/service-pages.ts'
import { tenantPages } from '../../pages/tenant-pages.ts'
import { settingGroups } from '../../settings/setting-groups.ts'
import { asIs, message, type Sentence, translatorOf } from '../../texts/index.ts'

/** The maximum number of tenants in the results, and of results of each other kind in a tenant. */
const TENANTS = 10
const EACH = 5

/**
 * The number of tenants whose users and applications are searched, if the search is not limited to
 * one tenant.
 */
const LOOKED_INTO = 5

/** The maximum number of applications of a tenant that are searched. */
const APPLICATIONS = 100

/**
 * The route of the search. The search checks the reach itself: it reads only tenants that the
 * operator reaches, and a limited number of rows.
 */
export const searchRoutes: readonly ConsoleRoute[] = [
  { ...servicePage('/console/search', search), concerns: 'any' },
]

async function search({ scope, operator, query }: Call): Promise<Result> {
  const { reach } = operator.operator
  const text = (query.get('q') ?? '').trim().slice(0, 254)
  const tenant = await tenantIn(scope, reach, query.get('in') ?? '')
  const [tenants, { items: first, more }] = await Promise.all([
    text === '' ? [] : tenantsOf(scope, reach, text),
    listTenants(scope, reach, { after: undefined, limit: text === '' ? TENANTS : LOOKED_INTO }),
  ])
  const within = tenant ? [tenant] : first
  const found =
    text === ''
      ? first.map(foundTenant)
      : [
          ...tenants.map(foundTenant),
          ...(await Promise.all(within.map((one) => inTenant(scope, one, text)))).flat(),
          ...(reach === 'all' ? await operatorsOf(scope, text) : []),
          ...pagesOf(reach, tenant ?? (more || first.length > 1 ? undefined : first[0]), text),
        ]
  return {
    kind: 'page',
    name: 'search',
    title: 'Search',
    data: {
      ...{ asked: text, found, each: hasMore(found) ? EACH : undefined },
      // Not `tenant`, which in a template is the tenant whose navigation is shown.
      within: tenant && { id: tenant.id, name: nameOf(tenant) },
      isPart: text !== '' && !tenant && more,
      looked: first.length,
    },
  }
}

/** Whether a kind has as many results in a tenant as are shown, so that there may be more. */
function hasMore(found: readonly Found[]): boolean {
  const counts = new Map<string, number>()
  for (const { kind, of } of found) {
    if (kind === 'Page' || kind === 'Setting' || kind === 'Tenant') continue
    const key = `${kind} ${JSON.stringify(of)}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts.values()].some((count) => count >= EACH)
}

const nameOf = ({ name, settings }: Tenant): string => name || settings.domain

/** The tenant with this id; `undefined` if it does not exist or the operator does not reach it. */
async function tenantIn({ context }: ServiceScope, reach: Reach, id: string) {
  if (id === '' || id === SYSTEM_TENANT_ID) return undefined
  return reach === 'all' || reach.includes(id) ? lookUpTenant(context, id) : undefined
}

/** The tenants whose domain or name begins with the text, or the tenant with this id. */
async function tenantsOf(scope: ServiceScope, reach: Reach, text: string): Promise<Tenant[]> {
  const page = { after: undefined, limit: TENANTS }
  const [named, { items }] = await Promise.all([
    tenantIn(scope, reach, text),
    searchTenants(scope, reach, text, page),
  ])
  return named ? [named] : items
}

function foundTenant(tenant: Tenant): Found {
  const { id } = tenant
  return { kind: 'Tenant', name: asIs(nameOf(tenant)), href: `/console/t/${id}`, id }
}

/** The users and applications of a tenant that match the text. */
async function inTenant(scope: ServiceScope, tenant: Tenant, text: string): Promise<Found[]> {
  const own = { ...scope, tenantId: tenant.id }
  const base = `/console/t/${tenant.id}`
  const of = asIs(nameOf(tenant))
  const [users, applications] = await Promise.all([
    searchUsers(own, { search: text, inside: true }, { after: undefined, limit: EACH }),
    listApplications(own, { after: undefined, limit: APPLICATIONS }),
  ])
  return [
    ...users.items.map(({ id, email, profile }): Found => {
      const name = profile.name
        ? message('{name} <{email}>', { name: profile.name, email })
        : asIs(email)
      return { kind: 'User', name, href: `${base}/users/${id}`, id, of }
    }),
    ...applications.items
      .filter(({ id, name }) => id === text || includes(name, text))
      .slice(0, EACH)
      .map(
        ({ id, name }): Found => ({
          ...{ kind: 'Application', name: asIs(name || id), href: `${base}/applications/${id}` },
          ...{ id, of },
        }),
      ),
  ]
}

async function operatorsOf(scope: ServiceScope, text: string): Promise<Found[]> {
  return (await listOperators(scope))
    .filter(({ operator, user }) => operator.id === text || includes(user.email, text))
    .slice(0, EACH)
    .map(({ operator, user }) => ({
      ...{ kind: 'Operator', name: asIs(user.email), href: '/console/operators' },
      id: operator.id,
    }))
}

/**
 * The pages and settings whose label contains the text, in English or German. Without a tenant,
 * only the pages of the whole service are searched.
 */
function pagesOf(reach: Reach, tenant: Tenant | undefined, text: string): Found[] {
  const ofService = servicePages
    .filter(({ isForAll, label }) => (isForAll || reach === 'all') && isNamed(label, text))
    .map(({ path, label }): Found => ({ kind: 'Page', name: label, href: path }))
  if (!tenant) return ofService
  const base = `/console/t/${tenant.id}`
  const of = asIs(nameOf(tenant))
  return [
    ...ofService,
    ...tenantPages
      .filter(({ label }) => isNamed(label, text))
      .map(({ path, label }): Found => ({ kind: 'Page', name: label, href: base + path, of })),
    ...settingGroups.flatMap(({ id, title, settings }) => {
      const href = `${base}/settings#${id}`
      const labels = settings.filter(
        ({ name, label }) => isNamed(label, text) || includes(name, text),
      )
      const shown = labels.length > 0 ? labels.map(({ label }) => label) : [title]
      if (labels.length === 0 && !isNamed(title, text)) return []
      return shown.map((name): Found => ({ kind: 'Setting', name, href, of }))
    }),
  ]
}

const translators = [translatorOf('en'), translatorOf('de')]

const isNamed = (label: Sentence, text: string): boolean =>
  translators.some(({ t }) => includes(t(label), text))

const includes = (whole: string, part: string): boolean =>
  whole.toLowerCase().includes(part.toLowerCase())
