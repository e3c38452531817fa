import { isDeepStrictEqual } from 'node:util'
import { offeredConnections } from '../../../domain/connections/connections.ts'
import { effectsOf } from '../../../domain/operators/tenant-effects.ts'
import { checkOwnerRules } from '../../../domain/tenants/tenant-features.ts'
import {
  findTenant,
  getTenant,
  type TenantInput,
  tenantJudge,
  updateTenant,
} from '../../../domain/tenants/tenants.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import { reason } from '../../../domain/writes/reasons/index.ts'
import { brandingOf } from '../../../issuer/requests/branding.ts'
import type { Tenant } from '../../../store/records.ts'
import { tenantBody } from '../../../wire/schemas.ts'
import { tenantInput } from '../../../wire/tenants.ts'
import {
  type Call,
  type ConsoleRoute,
  may,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import { baseFrom, CHANGED_MEANWHILE, isStale, merged } from '../../forms/concurrent-edits.ts'
import { shellWord } from '../../forms/form-fields.ts'
import { type Refused, refusedBy } from '../../forms/refused.ts'
import type { ShownProblem } from '../../pages/index.ts'
import { type LoginPreview, loginPreview, previewLogo } from '../../pages/login-preview.ts'
import { isMetadata, memberOf } from '../../settings/setting-groups.ts'
import {
  allSettings,
  applyValues,
  bodyOf,
  changedFields,
  type Difference,
  differencesOf,
  duration,
  METADATA_GROUP,
  type SettingValues,
  sectionOf,
  sections,
  sentValues,
  storedValues,
  withFields,
} from '../../settings/setting-values.ts'
import { many } from '../../texts/index.ts'

export const settingRoutes: readonly ConsoleRoute[] = [
  tenantPage('/settings', (call) => showSettings(call)),
  tenantForm('/settings', preview),
  tenantForm('/settings/save', save, { isDangerous: changesGuarded }),
]

/**
 * Whether a form changes a setting that needs a recent login. A single one is enough. A form
 * without all fields counts as one, too.
 */
function changesGuarded(form: URLSearchParams, tenant: Tenant | undefined): boolean {
  if (!tenant) return true
  const stored = storedOf(tenant)
  const sent = sentValues(form, stored)
  return !sent || differencesOf(stored, sent).some(({ isGuarded }) => isGuarded)
}

const pathOf = ({ ids }: Call) => `/console/t/${ids.tenant}/settings`

const storedOf = (tenant: Tenant) => storedValues(bodyOf(tenant))

/** A submitted form that is shown again, and the reason. */
interface Returned extends Refused {
  readonly values: SettingValues
  /** The refused fields, each with the reason. */
  readonly problems?: readonly ShownProblem[]
  /** The differences from the stored values, if another person has changed them in the meantime. */
  readonly theirs?: readonly Difference[]
}

async function showSettings(call: TenantCall, returned?: Returned): Promise<Result> {
  const { tenant } = call
  const stored = storedOf(tenant)
  const { values = stored, problems = [], theirs = [], problem, status = 200 } = returned ?? {}
  return {
    kind: 'page',
    name: 'settings',
    title: 'Settings',
    tenant,
    data: {
      ...{ sections, values, problems, theirs, duration, memberOf },
      filledWith: baseFrom(stored),
      readAt: tenant.updatedAt,
      base: pathOf(call),
      logoHint: tenant.logo
        ? 'An image is uploaded; it stands before the one at this URL.'
        : 'In place of its URL, an image can be uploaded.',
      refusal: many(
        problems.length,
        'A field was refused. Nothing is saved.',
        '{count} fields were refused. Nothing is saved.',
      ),
      labels: Object.fromEntries(
        [...allSettings, { name: METADATA_GROUP.id, label: METADATA_GROUP.title }].map(
          ({ name, label }) => [name, label],
        ),
      ),
    },
    commands: [
      `latchkey tenants get ${tenant.id}`,
      `latchkey tenants update ${tenant.id} --set settings.allow_signups=${tenant.settings.allowSignups}`,
    ],
    ...{ problem, status },
  }
}

/**
 * The submitted and the stored values.
 *
 * @throws ServiceError for a form without all fields.
 */
function readForm({ form, tenant }: TenantCall): { values: SettingValues; stored: SettingValues } {
  const stored = storedOf(tenant)
  const values = sentValues(form, stored)
  if (!values) throw new ServiceError('invalid_request', reason('settings_incomplete'))
  return { values, stored }
}

/** A change that is valid: the input for the domain, and the tenant after the change. */
interface Judged {
  readonly input: TenantInput
  readonly after: Tenant
}

/**
 * Makes a function that checks the values of a form. It throws a ServiceError for values that no
 * tenant can have or this operator may not set.
 */
async function judgeOf(call: TenantCall): Promise<(values: SettingValues) => Judged> {
  const { scope, tenant } = call
  const judge = await tenantJudge(scope, tenant)
  return (values) => {
    const { data, error } = tenantBody.safeParse(applyValues(bodyOf(tenant), values))
    if (!data) {
      const name = error.issues[0]?.path.join('.') ?? ''
      throw new ServiceError('invalid_request', reason('field_not_seconds', { field: `"${name}"` }))
    }
    const input = tenantInput(data)
    const after = judge(input)
    if (!may(call, 'operators')) checkOwnerRules(tenant, after)
    return { input, after }
  }
}

/**
 * The refusals of a form, each with its field. The domain reports only the first refusal. It is
 * about the field that gets the same refusal if no other field is changed. The other fields are
 * then checked without this field, until no refusal is left.
 */
function problemsOf(
  judge: (values: SettingValues) => unknown,
  stored: SettingValues,
  sent: SettingValues,
): Pick<Returned, 'problems' | 'problem'> {
  const problems: ShownProblem[] = []
  let fields = changedFields(stored, sent)
  const refusalOf = (some: readonly string[]) => {
    try {
      judge(withFields(stored, sent, some))
      return undefined
    } catch (error) {
      return refusedBy(error).problem
    }
  }
  for (let message = refusalOf(fields); message; message = refusalOf(fields)) {
    const field = fields.find((one) => isDeepStrictEqual(refusalOf([one]), message))
    if (field === undefined) return { problems, problem: message }
    problems.push({ field, message })
    fields = fields.filter((one) => one !== field)
  }
  return { problems }
}

/** Shows the effects of a form before it is saved. */
async function preview(call: TenantCall): Promise<Result> {
  const { scope, form, tenant } = call
  const { values, stored } = readForm(call)
  if (isStale(form, tenant)) return showMeanwhile(call, values)
  if (form.has('edit')) return showSettings(call, { values })
  const judge = await judgeOf(call)
  try {
    const { after } = judge(values)
    const differences = differencesOf(stored, storedOf(after))
    if (differences.length === 0) return redirectTo(pathOf(call), 'unchanged')
    await checkDomain(call, after)
    const isSameBranding = isDeepStrictEqual(brandingOf(tenant), brandingOf(after))
    return {
      kind: 'page',
      name: 'settings-preview',
      title: 'This changes',
      tenant,
      data: {
        sections: sections
          .map((section) => ({
            title: section.title,
            differences: differences.filter(({ field }) => sectionOf(field) === section),
          }))
          .filter((section) => section.differences.length > 0),
        effects: await effectsOf(scope, tenant, after),
        loginHint:
          'The marked changes need a login of the last five minutes. If yours is older, you are asked for it, and the form is kept.',
        values,
        readAt: form.get('read_at') ?? '',
        filledWith: form.get('base') ?? '',
        base: pathOf(call),
      },
      login: isSameBranding ? undefined : await previewOf(call, after),
      commands: commandsOf(after, values, differences),
    }
  } catch (error) {
    return refused(call, values, error, problemsOf(judge, stored, values))
  }
}

/** The login page of the tenant with the settings of the form. */
async function previewOf({ scope, language }: TenantCall, after: Tenant): Promise<LoginPreview> {
  const [offered, logo] = await Promise.all([
    offeredConnections(scope.context, after),
    previewLogo(scope.context, after),
  ])
  return loginPreview(after, offered, language, logo)
}

/**
 * Refuses a domain that another tenant has, before the operator confirms the change. Saving checks
 * it again.
 */
async function checkDomain({ scope, tenant }: TenantCall, after: Tenant): Promise<void> {
  const { domain } = after.settings
  if (domain === tenant.settings.domain || !(await findTenant(scope, domain))) return
  throw new ServiceError('already_exists', reason('tenant_domain_has_other', { domain }))
}

async function save(call: TenantCall): Promise<Result> {
  const { scope, form, tenant } = call
  const { values, stored } = readForm(call)
  if (isStale(form, tenant)) return showMeanwhile(call, values)
  const judge = await judgeOf(call)
  try {
    await updateTenant(scope, judge(values).input, Number(form.get('read_at')))
    return redirectTo(pathOf(call), 'saved')
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'conflict') {
      return refused(call, values, error, problemsOf(judge, stored, values))
    }
    return showMeanwhile({ ...call, tenant: await getTenant(scope) }, values)
  }
}

/**
 * Shows the form again after another person has changed the tenant, with the submitted and the
 * stored values.
 */
function showMeanwhile(call: TenantCall, sent: SettingValues): Promise<Result> {
  const stored = storedOf(call.tenant)
  const values = merged(call.form, sent, stored)
  const theirs = differencesOf(stored, values)
  return showSettings(call, { values, theirs, problem: CHANGED_MEANWHILE, status: 409 })
}

function refused(
  call: TenantCall,
  values: SettingValues,
  error: unknown,
  found: Pick<Returned, 'problems' | 'problem'>,
): Promise<Result> {
  const refusal = refusedBy(error)
  const isAttributed = found.problems?.length || found.problem
  // Only the store and the DNS can refuse values that passed the checks, and only for the domain.
  const own = isAttributed ? found : { problems: [{ field: 'domain', message: refusal.problem }] }
  return showSettings(call, { values, status: refusal.status, ...own })
}

/** The command for the same change. */
function commandsOf(
  { id, metadata }: Tenant,
  { fields }: SettingValues,
  differences: readonly Difference[],
): string[] {
  const changed = allSettings.filter(({ name }) => differences.some(({ field }) => field === name))
  const sets = changed
    .filter((one) => !isMetadata(one))
    .map((one) => `--set ${shellWord(`${memberOf(one)}=${fields[one.name]}`)}`)
  // The command replaces all metadata. It removes a key by sending only the others.
  const data =
    sets.length < new Set(differences.map(({ name }) => name)).size
      ? [`--data ${shellWord(JSON.stringify({ metadata }))}`]
      : []
  return [[`latchkey tenants update ${id}`, ...data, ...sets].join(' ')]
}
