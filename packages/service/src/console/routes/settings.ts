import { isDeepStrictEqual } from 'node:util'
import { offeredConnections } from '../../domain/connections/connections.ts'
import { effectsOf } from '../../domain/operators/tenant-effects.ts'
import { checkOwnerRules } from '../../domain/tenants/tenant-features.ts'
import { findTenant, getTenant, judgeTenant, updateTenant } from '../../domain/tenants/tenants.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import { brandingOf } from '../../issuer/requests/branding.ts'
import type { Tenant } from '../../store/records.ts'
import { tenantBody } from '../../wire/schemas.ts'
import { tenantInput } from '../../wire/tenants.ts'
import {
  type Call,
  type ConsoleRoute,
  may,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../call.ts'
import { baseOf, CHANGED_MEANWHILE, shellWord } from '../form-fields.ts'
import { loginPreview } from '../login-preview.ts'
import { type Refused, refusedBy } from '../refused.ts'
import {
  isGuarded,
  isMetadata,
  memberOf,
  type Setting,
  type SettingGroup,
  settingGroups,
} from '../setting-groups.ts'
import {
  applyValues,
  bodyOf,
  type Difference,
  differencesOf,
  duration,
  findGroup,
  METADATA_GROUP,
  merged,
  type SettingValues,
  sentValues,
  storedValues,
} from '../setting-values.ts'

export const settingRoutes: readonly ConsoleRoute[] = [
  tenantPage('/settings', (call) => showSettings(call)),
  tenantForm('/settings', preview),
  tenantForm('/settings/save', save, { isDangerous: changesGuarded }),
]

/** Whether a form changes anything that needs a new login; metadata does, as the service reads some of it. */
function changesGuarded(form: URLSearchParams, tenant: Tenant | undefined): boolean {
  const group = findGroup(form.get('group'))
  if (!group || !tenant || group === METADATA_GROUP) return true
  const [sent, stored] = [sentValues(group, form), storedValues(group, bodyOf(tenant))]
  return group.settings.some(
    (one) => isGuarded(one) && sent.fields[one.name] !== stored.fields[one.name],
  )
}

const pathOf = ({ ids }: Call) => `/console/t/${ids.tenant}/settings`

/** The form of a group that was sent, and why it comes back. */
interface Returned extends Refused {
  readonly group: SettingGroup
  readonly values: SettingValues
  /** The stored values that differ, when another person was faster. */
  readonly theirs?: readonly Difference[]
}

async function showSettings(call: TenantCall, returned?: Returned): Promise<Result> {
  const { tenant } = call
  const body = bodyOf(tenant)
  const forms = [...settingGroups, METADATA_GROUP].map((group) => {
    const stored = storedValues(group, body)
    const isReturned = returned?.group === group
    return {
      group,
      values: isReturned ? returned.values : stored,
      base: JSON.stringify(stored.fields),
      problem: isReturned ? returned.problem : undefined,
      theirs: isReturned ? (returned.theirs ?? []) : [],
    }
  })
  return {
    kind: 'page',
    name: 'settings',
    title: 'Settings',
    tenant,
    data: { forms, readAt: tenant.updatedAt, base: pathOf(call), duration, memberOf },
    commands: [
      `latchkey tenants get ${tenant.id}`,
      `latchkey tenants update ${tenant.id} --set settings.allow_signups=${tenant.settings.allowSignups}`,
    ],
    status: returned?.status ?? 200,
  }
}

/** The tenant with the values of a form. @throws ServiceError for those that no tenant can have. */
async function judged(
  { scope }: TenantCall,
  last: Tenant,
  group: SettingGroup,
  values: SettingValues,
) {
  const { data, error } = tenantBody.safeParse(applyValues(group, bodyOf(last), values))
  if (!data) {
    const name = error.issues[0]?.path.join('.') ?? ''
    throw new ServiceError('invalid_request', reason('field_not_seconds', { field: `"${name}"` }))
  }
  const input = tenantInput(data)
  return { input, after: await judgeTenant(scope, last, input) }
}

/** Shows the effects of a form before it is saved. */
async function preview(call: TenantCall): Promise<Result> {
  const { scope, form, tenant, language } = call
  const group = groupOf(form)
  const values = sentValues(group, form)
  const stored = storedValues(group, bodyOf(tenant))
  if (isStale(form, tenant)) return showMeanwhile(call, group, values, stored)
  if (form.has('edit')) return showSettings(call, { group, values })
  try {
    const { after } = await judged(call, tenant, group, values)
    const differences = differencesOf(group, stored, storedValues(group, bodyOf(after)))
    if (differences.length === 0) return redirectTo(pathOf(call), 'unchanged')
    await checkDomain(call, after)
    const isSameBranding = isDeepStrictEqual(brandingOf(tenant), brandingOf(after))
    return {
      kind: 'page',
      name: 'settings-preview',
      title: 'This changes',
      tenant,
      data: {
        differences,
        effects: await effectsOf(scope, tenant, after),
        group,
        values,
        readAt: form.get('read_at') ?? '',
        sentBase: form.get('base') ?? '',
        base: pathOf(call),
      },
      login: isSameBranding
        ? undefined
        : loginPreview(after, await offeredConnections(scope.context, after), language),
      commands: commandsOf(after, group, values, stored),
    }
  } catch (error) {
    return refused(call, group, values, error)
  }
}

/** Refuses the domain of another tenant before the operator is asked to confirm it. Saving checks it again. */
async function checkDomain({ scope, tenant }: TenantCall, after: Tenant): Promise<void> {
  const { domain } = after.settings
  if (domain === tenant.settings.domain || !(await findTenant(scope, domain))) return
  throw new ServiceError('already_exists', reason('tenant_domain_has_other', { domain }))
}

async function save(call: TenantCall): Promise<Result> {
  const { scope, form, tenant } = call
  const group = groupOf(form)
  const values = sentValues(group, form)
  if (isStale(form, tenant)) {
    return showMeanwhile(call, group, values, storedValues(group, bodyOf(tenant)))
  }
  try {
    const { input, after } = await judged(call, tenant, group, values)
    if (!may(call, 'operators')) checkOwnerRules(tenant, after)
    await updateTenant(scope, input, Number(form.get('read_at')))
    return redirectTo(pathOf(call), 'saved')
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'conflict') {
      return refused(call, group, values, error)
    }
    const current = { ...call, tenant: await getTenant(scope) }
    return showMeanwhile(current, group, values, storedValues(group, bodyOf(current.tenant)))
  }
}

function showMeanwhile(
  call: TenantCall,
  group: SettingGroup,
  sent: SettingValues,
  stored: SettingValues,
): Promise<Result> {
  const values = merged(baseOf(call.form), sent, stored)
  const theirs = differencesOf(group, stored, values)
  return showSettings(call, { group, values, theirs, problem: CHANGED_MEANWHILE, status: 409 })
}

function refused(
  call: TenantCall,
  group: SettingGroup,
  values: SettingValues,
  error: unknown,
): Promise<Result> {
  return showSettings(call, { group, values, ...refusedBy(error) })
}

function isStale(form: URLSearchParams, { updatedAt }: Tenant): boolean {
  return Number(form.get('read_at')) !== updatedAt
}

function groupOf(form: URLSearchParams): SettingGroup {
  const group = findGroup(form.get('group'))
  if (!group) throw new ServiceError('invalid_request', reason('settings_no_group'))
  return group
}

/** The same change on the command line. */
function commandsOf(
  { id, metadata }: Tenant,
  group: SettingGroup,
  values: SettingValues,
  stored: SettingValues,
): string[] {
  const changed = group.settings.filter(({ name }) => values.fields[name] !== stored.fields[name])
  const isSetting = (one: Setting) => !isMetadata(one)
  const sets = changed
    .filter(isSetting)
    .map((one) => `--set ${shellWord(`${memberOf(one)}=${values.fields[one.name]}`)}`)
  // A key of metadata is removed by naming the others alone.
  const hasMetadata = group === METADATA_GROUP || !changed.every(isSetting)
  const data = hasMetadata ? [`--data ${shellWord(JSON.stringify({ metadata }))}`] : []
  return [[`latchkey tenants update ${id}`, ...data, ...sets].join(' ')]
}
