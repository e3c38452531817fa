import { randomBytes } from 'node:crypto'
import { apiOf } from '../../../domain/applications/application-api.ts'
import {
  type ApplicationInput,
  type ApplicationProblem,
  problemsOfApplication,
} from '../../../domain/applications/application-checks.ts'
import {
  exceptionsOf,
  namedExceptions,
} from '../../../domain/applications/application-exceptions.ts'
import {
  FAPI_2,
  FAPI_PRICE,
  isOnFapi,
  PROFILE_KEY,
} from '../../../domain/applications/application-profile.ts'
import {
  createApplication,
  getApplication,
  listApplications,
  openEarlierSecret,
  openSecret,
  updateApplication,
} from '../../../domain/applications/applications.ts'
import { note } from '../../../domain/writes/audit.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import { issuerUrl } from '../../../issuer/requests/issuer-url.ts'
import type { Application, Tenant } from '../../../store/records.ts'
import {
  type Call,
  type ConsoleRoute,
  may,
  type Result,
  redirectTo,
  secretIn,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import {
  type Filled,
  type FormValues,
  filledFrom,
  isStale,
  mergedForm,
} from '../../forms/concurrent-edits.ts'
import {
  linesOf,
  metadataOf,
  metadataRows,
  sentMetadata,
  shellWord,
} from '../../forms/form-fields.ts'
import type { ApplicationDraft, ShownProblem } from '../../pages/index.ts'
import { kitSnippet } from '../../pages/kit-snippet.ts'
import { asIs, refusalText, type Sentence, type Text } from '../../texts/index.ts'

const PAGE = 50

export const applicationRoutes: readonly ConsoleRoute[] = [
  tenantPage('/applications', (call) => showApplications(call)),
  tenantPage('/applications/new', (call) => showNew(call), { needs: 'edit' }),
  tenantForm('/applications/new', create, { isDangerous: true }),
  tenantPage('/applications/:application', (call) => showApplication(call)),
  tenantForm('/applications/:application', save, { isDangerous: true }),
  tenantForm('/applications/:application/secret', reveal, { needs: 'secrets', isDangerous: true }),
]

const listOf = ({ ids }: Call) => `/console/t/${ids.tenant}/applications`
const pathOf = (call: Call) => `${listOf(call)}/${call.ids.application}`

type ApplicationField = Exclude<keyof ApplicationDraft, 'metadata'>

const EMPTY: ApplicationDraft = {
  name: '',
  login_url: '',
  redirect_urls: '',
  logout_urls: '',
  metadata: [],
}

/** A form that was refused, and is shown again. */
interface Refused {
  readonly draft: ApplicationDraft
  readonly problems?: readonly ShownProblem[]
  readonly problem: Text
  readonly status: number
}

async function showApplications(call: TenantCall): Promise<Result> {
  const { scope, query, tenant } = call
  const after = query.get('after') ?? undefined
  const { total, items, more } = await listApplications(scope, { after, limit: PAGE })
  const given = `--tenant ${tenant.id}`
  return {
    kind: 'page',
    name: 'applications',
    title: 'Applications',
    tenant,
    ...(may(call, 'edit') && {
      action: { href: `${listOf(call)}/new`, label: 'Register an application' },
    }),
    data: {
      total,
      applications: items,
      next: more ? items.at(-1)?.id : undefined,
      base: listOf(call),
    },
    commands: [`latchkey applications list ${given}`],
  }
}

async function showNew(call: TenantCall, refused?: Refused): Promise<Result> {
  const { tenant } = call
  return {
    kind: 'page',
    name: 'new-application',
    title: 'Register an application',
    tenant,
    data: {
      base: listOf(call),
      draft: refused?.draft ?? EMPTY,
      problems: refused?.problems ?? [],
    },
    commands: [
      `latchkey applications create --tenant ${tenant.id} --data '{"name":"Shop","redirect_urls":["https://shop.example.com/callback"]}'`,
    ],
    problem: refused?.problem,
    status: refused?.status ?? 200,
  }
}

async function create(call: TenantCall): Promise<Result> {
  const { scope, form } = call
  const draft = sentDraft(form)
  const judged = judge(draft, undefined, call.tenant)
  if (judged.kind === 'refused') return showNew(call, judged)
  const { id } = await createApplication(scope, judged.input)
  return redirectTo(`${listOf(call)}/${id}`, 'created')
}

/** The outcome of a form, which the page of the application shows. */
interface Shown {
  readonly refused?: Refused
  /**
   * The stored fields that differ from the submitted ones, if another operator has changed the
   * application in the meantime.
   */
  readonly theirs?: Readonly<Record<string, string>>
  /** The filling of a form that was merged with the stored values. */
  readonly filled?: Filled
}

async function showApplication(call: TenantCall, shown: Shown = {}): Promise<Result> {
  const { scope, ids, tenant } = call
  const application = await getApplication(scope, ids.application ?? '')
  const { id } = application
  const { refused, theirs = {}, filled } = shown
  const secret = secretIn(call, 'secret')
  const given = `${id} --tenant ${tenant.id}`
  const earlier = openEarlierSecret(scope.context, application)
  const isFapi = isOnFapi(application.metadata)
  const hasSecret = !isFapi && !exceptionsOf(application.metadata).isPublic
  return {
    kind: 'page',
    name: 'application',
    title: asIs(application.name || id),
    tenant,
    data: {
      application,
      base: pathOf(call),
      draft: refused?.draft ?? draftOf(application),
      problems: refused?.problems ?? [],
      theirs,
      ...(filled ?? filledFrom(application, valuesOf(draftOf(application)))),
      secret,
      exceptions: namedExceptions(application.metadata),
      hasSecret,
      api: apiOf(application.metadata),
      profile: isFapi ? { key: PROFILE_KEY, value: FAPI_2, price: FAPI_PRICE } : undefined,
      earlierUntil: earlier?.until,
      earlierSecret: secret === undefined ? undefined : earlier?.secret,
      snippet: hasSecret
        ? kitSnippet({
            issuer: issuerUrl(tenant.settings.domain, {
              allowHttpOnLoopback: scope.context.domains.allowLoopback,
            }),
            clientId: id,
            clientSecret: secret,
            sessionSecret: randomBytes(32).toString('base64url'),
            loginUrl: application.loginUrl,
            redirectUrls: application.redirectUrls,
          })
        : undefined,
    },
    commands: [
      `latchkey applications get ${given}`,
      `latchkey applications update ${given} --set name=${shellWord(application.name)}`,
      `latchkey-service application rotate-secret ${given} --overlap-hours 24`,
      `latchkey applications delete ${given}`,
    ],
    problem: refused?.problem,
    status: refused?.status ?? 200,
  }
}

async function save(call: TenantCall): Promise<Result> {
  const { scope, ids, form } = call
  const id = ids.application ?? ''
  const draft = sentDraft(form)
  const stored = await getApplication(scope, id)
  if (isStale(form, stored)) return showMeanwhile(call, draft, stored)
  const judged = judge(draft, stored, call.tenant)
  if (judged.kind === 'refused') return showApplication(call, { refused: judged })
  try {
    await updateApplication(scope, id, judged.input, stored.updatedAt)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'conflict') {
      return showMeanwhile(call, draft, await getApplication(scope, id))
    }
    return showApplication(call, { refused: refusedMetadata(draft, error) })
  }
  return redirectTo(pathOf(call), 'saved')
}

/**
 * Shows the form again after another operator has changed the application, with the submitted and
 * the stored values.
 */
function showMeanwhile(
  call: TenantCall,
  draft: ApplicationDraft,
  application: Application,
): Promise<Result> {
  const stored = valuesOf(draftOf(application))
  const { kept, shown } = mergedForm(call.form, valuesOf(draft), application, stored)
  const { problem, status, theirs, filled } = shown
  const refused = { draft: { ...kept.fields, metadata: kept.metadata }, problem, status }
  return showApplication(call, { refused, theirs, filled })
}

async function reveal(call: TenantCall): Promise<Result> {
  const { scope, ids } = call
  const application = await getApplication(scope, ids.application ?? '')
  await note(scope, 'application.reveal_secret', application.id)
  const secrets = { secret: openSecret(scope.context, application) }
  return { kind: 'secrets', to: pathOf(call), secrets }
}

function draftOf(application: Application): ApplicationDraft {
  return {
    name: application.name,
    login_url: application.loginUrl,
    redirect_urls: application.redirectUrls.join('\n'),
    logout_urls: application.logoutUrls.join('\n'),
    metadata: metadataRows(application.metadata),
  }
}

function sentDraft(form: URLSearchParams): ApplicationDraft {
  const of = (name: string) => form.get(name) ?? ''
  return {
    name: of('name').trim(),
    login_url: of('login_url').trim(),
    redirect_urls: of('redirect_urls'),
    logout_urls: of('logout_urls'),
    metadata: sentMetadata(form),
  }
}

/** Checks a draft. Returns the input for the domain, or all rules that the draft breaks. */
function judge(
  draft: ApplicationDraft,
  stored: Application | undefined,
  { settings }: Tenant,
): { kind: 'good'; input: ApplicationInput } | ({ kind: 'refused' } & Refused) {
  const problems: ShownProblem[] = []
  let metadata = stored?.metadata ?? {}
  try {
    metadata = metadataOf(draft.metadata, stored?.metadata)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    problems.push({ field: 'metadata', message: refusalText(error) })
  }
  const lines = {
    redirect_urls: linesOf(draft.redirect_urls),
    logout_urls: linesOf(draft.logout_urls),
  }
  const input: ApplicationInput = {
    name: draft.name,
    metadata,
    loginUrl: draft.login_url,
    redirectUrls: lines.redirect_urls.map(({ text }) => text),
    logoutUrls: lines.logout_urls.map(({ text }) => text),
  }
  function shown({ field, index, error }: ApplicationProblem): ShownProblem {
    const isList = field === 'redirect_urls' || field === 'logout_urls'
    const line = isList && index !== undefined ? lines[field][index] : undefined
    return { field, ...line, message: refusalText(error) }
  }
  problems.push(...problemsOfApplication(input, stored, settings).map(shown))
  if (problems.length === 0) return { kind: 'good', input }
  return { kind: 'refused', ...refusedFor(draft, problems) }
}

/**
 * The form again after a refusal that only the write can find: another application offers the same
 * API.
 *
 * @throws The error itself if it is no refusal of the metadata.
 */
function refusedMetadata(draft: ApplicationDraft, error: unknown): Refused {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_metadata') throw error
  return refusedFor(draft, [{ field: 'metadata', message: refusalText(error) }])
}

function refusedFor(draft: ApplicationDraft, problems: readonly ShownProblem[]): Refused {
  const problem: Sentence = 'Nothing was saved. Fix the lines that are marked below.'
  return { draft, problems, problem, status: 422 }
}

/** The values of a draft. Lists of URLs lose empty lines and surrounding spaces. */
function valuesOf({ metadata, ...fields }: ApplicationDraft): FormValues<ApplicationField> {
  const lines = (text: string) =>
    linesOf(text)
      .map((line) => line.text)
      .join('\n')
  const { redirect_urls, logout_urls } = fields
  return {
    fields: { ...fields, redirect_urls: lines(redirect_urls), logout_urls: lines(logout_urls) },
    metadata,
  }
}
