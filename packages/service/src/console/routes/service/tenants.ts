import { listApplications } from '../../../domain/applications/applications.ts'
import {
  createTenant,
  defaultSettings,
  listTenants,
  searchTenants,
} from '../../../domain/tenants/tenants.ts'
import { listUsers } from '../../../domain/users/users.ts'
import type { ServiceScope } from '../../../domain/writes/context.ts'
import type { Reach, Tenant } from '../../../store/records.ts'
import {
  type Call,
  type ConsoleRoute,
  may,
  type Result,
  redirectTo,
  serviceForm,
  servicePage,
  type TenantCall,
  tenantPage,
} from '../../calls/call.ts'
import { cursorOf } from '../../forms/form-fields.ts'
import { type Refused, refusedBy } from '../../forms/refused.ts'
import { settingGroups } from '../../settings/setting-groups.ts'
import { asIs, type Sentence } from '../../texts/index.ts'
import { chartOfMails, chartOfMonth, figuresOfDay } from './day.ts'

const PATH = '/console/tenants'
const PAGE = 50
const NO_ITEMS = { after: undefined, limit: 1 }

export const tenantRoutes: readonly ConsoleRoute[] = [
  { ...servicePage(PATH, (call) => showTenants(call)), concerns: 'any' },
  servicePage(`${PATH}/new`, (call) => showNew(call), { needs: 'edit' }),
  serviceForm(`${PATH}/new`, create),
  tenantPage('', showTenant),
]

async function showTenants({ scope, operator, query }: Call): Promise<Result> {
  const { reach } = operator.operator
  const search = (query.get('search') ?? '').trim().slice(0, 254)
  const { tenants, total, next } = await tenantsOf(scope, reach, search, query)
  return {
    kind: 'page',
    name: 'tenants',
    title: 'Tenants',
    ...(may({ operator }, 'edit') &&
      reach === 'all' && { action: { href: `${PATH}/new`, label: 'Create a tenant' } }),
    data: { total, search, tenants, next },
    commands: [
      'latchkey-service tenant list',
      'latchkey-service tenant create --domain login.example.com',
    ],
  }
}

async function showNew({ form }: Call, refused: Refused = {}): Promise<Result> {
  return {
    kind: 'page',
    name: 'new-tenant',
    title: 'Create a tenant',
    data: { name: form.get('name') ?? '', domain: form.get('domain') ?? '' },
    commands: ['latchkey-service tenant create --domain login.example.com'],
    ...refused,
  }
}

/** A page of all tenants or of those that match a search, and the query of the next page. */
async function tenantsOf(
  scope: ServiceScope,
  reach: Reach,
  search: string,
  query: URLSearchParams,
) {
  if (search === '') {
    const after = query.get('after') ?? undefined
    const { total, items, more } = await listTenants(scope, reach, { after, limit: PAGE })
    const next = more ? `after=${items.at(-1)?.id}` : undefined
    return { tenants: items, total, next }
  }
  const after = cursorOf(query)
  const { items, next } = await searchTenants(scope, reach, search, { after, limit: PAGE })
  return {
    tenants: items,
    total: undefined,
    next: next && new URLSearchParams({ search, ...next }).toString(),
  }
}

async function create(call: Call): Promise<Result> {
  const domain = (call.form.get('domain') ?? '').trim()
  const name = (call.form.get('name') ?? '').trim()
  try {
    const settings = { ...defaultSettings, domain, companyName: name }
    const { id } = await createTenant(call.scope, { name, metadata: {}, settings })
    return redirectTo(`/console/t/${id}`, 'created')
  } catch (error) {
    return showNew(call, refusedBy(error))
  }
}

async function showTenant({ scope, system, tenant }: TenantCall): Promise<Result> {
  const [users, applications, figures, month, mails] = await Promise.all([
    listUsers(scope, NO_ITEMS),
    listApplications(scope, NO_ITEMS),
    figuresOfDay({ scope, system }, scope.tenantId),
    chartOfMonth({ scope }, scope.tenantId),
    chartOfMails({ scope }),
  ])
  const { settings } = tenant
  return {
    kind: 'page',
    name: 'tenant',
    title: asIs(tenant.name || settings.domain),
    tenant,
    data: {
      one: tenant,
      users: users.total,
      applications: applications.total,
      flags: flagsOf(tenant),
      figures,
      month,
      mails,
    },
    commands: ['latchkey-service tenant list'],
  }
}

/** The boolean settings of a tenant, with their names in the API. */
function flagsOf({ settings }: Tenant): { name: string; label: Sentence; isOn: boolean }[] {
  return settingGroups.flatMap((group) =>
    group.settings.flatMap(({ name, kind, label }) => {
      const isOn = settings[camelCase(name) as keyof typeof settings]
      return kind === 'flag' && typeof isOn === 'boolean' ? [{ name, label, isOn }] : []
    }),
  )
}

const camelCase = (name: string) =>
  name.replace(/_[a-z]/g, ([, letter = '']) => letter.toUpperCase())
