import { randomBytes } from 'node:crypto'
import type { Alike, Listing, Page } from '../../store/ports.ts'
import type { Application, Micros, Tenant, TenantSettings } from '../../store/records.ts'
import { getTenant } from '../tenants/tenants.ts'
import { auditingFields, commit, type WriteAction } from '../writes/commit.ts'
import {
  type DomainContext,
  nowMicros,
  refuseStale,
  type Scope,
  updated,
} from '../writes/context.ts'
import { found } from '../writes/errors.ts'
import { newId } from '../writes/ids.ts'
import { offeringSame, refuseTakenApi } from './apis.ts'
import {
  type ApplicationInput,
  checkApplication,
  checkNewApplication,
} from './application-checks.ts'
import { needsDeveloperMode } from './application-urls.ts'

/**
 * Creates an application with a new client secret.
 *
 * @throws ServiceError `not_found` for an unknown tenant, or the code of the rule that the input
 *   breaks.
 */
export async function createApplication(
  scope: Scope,
  input: ApplicationInput,
): Promise<Application> {
  const { settings } = await getTenant(scope)
  checkApplication(input, undefined, settings)
  checkNewApplication(input, undefined, settings)
  const { context, tenantId } = scope
  const now = nowMicros(context.clock)
  const id = newId('app', context.clock)
  const application: Application = {
    id,
    tenantId,
    createdAt: now,
    updatedAt: now,
    ...input,
    sealedSecret: newSecret(context, id),
    earlierSecret: undefined,
  }
  return commit(scope, 'application.create', id, (audit) =>
    context.store.applications.insert(
      application,
      audit,
      (tenant, offering) => {
        checkNewApplication(input, undefined, tenant.settings)
        refuseTakenApi(input, undefined, offering)
      },
      offeringSame(input),
    ),
  )
}

/** Reads an application; `undefined` if the tenant has no application with this id. */
export function lookUpApplication(
  { store }: Pick<DomainContext, 'store'>,
  tenantId: string,
  id: string,
): Promise<Application | undefined> {
  return store.applications.get(tenantId, id)
}

/**
 * Reads an application.
 *
 * @throws ServiceError `not_found` if the tenant has no application with this id.
 */
export async function getApplication(
  { context, tenantId }: Scope,
  id: string,
): Promise<Application> {
  return found(await lookUpApplication(context, tenantId, id))
}

/** One page of the tenant's applications. */
export async function listApplications(
  { context, tenantId }: Scope,
  page: Page,
): Promise<Listing<Application>> {
  return found(await context.store.applications.list(tenantId, page))
}

/**
 * The applications of the tenant with URLs that work only in developer mode. Empty in developer
 * mode.
 */
export async function listStranded(
  scope: Scope,
  { developerMode }: Pick<TenantSettings, 'developerMode'>,
): Promise<Application[]> {
  if (developerMode) return []
  const stranded: Application[] = []
  for (let after: string | undefined, more = true; more; ) {
    const page = await listApplications(scope, { after, limit: 100 })
    stranded.push(...page.items.filter(needsDeveloperMode))
    after = page.items.at(-1)?.id
    more = page.more
  }
  return stranded
}

/**
 * Replaces all members of an application that a caller can set by `input`. The secret stays.
 *
 * @param readAt - The `updatedAt` of the version that the caller has edited. Default: any version.
 * @throws ServiceError `not_found`, `conflict` when the application was changed since, or the code
 *   of the rule that the input breaks.
 */
export async function updateApplication(
  scope: Scope,
  id: string,
  input: ApplicationInput,
  readAt?: Micros,
): Promise<Application> {
  return change(
    scope,
    'application.update',
    id,
    (last, { settings }, offering) => {
      refuseStale(last, readAt)
      checkApplication(input, last, settings)
      checkNewApplication(input, last, settings)
      refuseTakenApi(input, last, offering)
      return input
    },
    offeringSame(input),
  )
}

/**
 * The default overlap of a rotation, in seconds: the previous client secret is still accepted for
 * this period.
 */
export const SECRET_OVERLAP_SECONDS = 86_400

/** The options for rotating a client secret. */
export interface SecretRotation {
  /**
   * The seconds for which the previous secret is still accepted. Older secrets are refused at once.
   * Use 0 if the previous secret may have leaked. Default 86,400 (a day).
   */
  overlapSeconds?: number
}

/**
 * Replaces the client secret by a new one. The previous secret is accepted during the overlap.
 *
 * @param readAt - The `updatedAt` of the version that the caller has read. Default: any version.
 * @throws ServiceError `not_found`, and `conflict` when the application was changed since.
 */
export function rotateApplicationSecret(
  scope: Scope,
  id: string,
  { overlapSeconds = SECRET_OVERLAP_SECONDS }: SecretRotation = {},
  readAt?: Micros,
): Promise<Application> {
  const sealedSecret = newSecret(scope.context, id)
  const until = nowMicros(scope.context.clock) + overlapSeconds * 1e6
  return change(scope, 'application.rotate_secret', id, (last) => {
    refuseStale(last, readAt)
    const earlierSecret = overlapSeconds > 0 ? { sealed: last.sealedSecret, until } : undefined
    return { sealedSecret, earlierSecret }
  })
}

/** Seals the secrets of an application under the newest master key. `updatedAt` stays unchanged. */
export async function resealApplication(scope: Scope, { id }: Application): Promise<void> {
  const { context, tenantId } = scope
  const purpose = secretPurpose(id)
  function reseal(last: Application): Application {
    const secret = context.vault.reseal(purpose, last.sealedSecret)
    const earlier = last.earlierSecret && context.vault.reseal(purpose, last.earlierSecret.sealed)
    if (secret === undefined && earlier === undefined) return last
    return {
      ...last,
      sealedSecret: secret ?? last.sealedSecret,
      earlierSecret: last.earlierSecret && {
        ...last.earlierSecret,
        sealed: earlier ?? last.earlierSecret.sealed,
      },
    }
  }
  await commit(scope, 'application.reseal', id, (audit) =>
    context.store.applications.update(tenantId, id, reseal, audit),
  )
}

/** Deletes an application. Resolves to its last version. */
export function deleteApplication(scope: Scope, id: string): Promise<Application> {
  const { context, tenantId } = scope
  return commit(scope, 'application.delete', id, (audit) =>
    context.store.applications.delete(tenantId, id, audit),
  )
}

/**
 * The client secret before the last rotation, in clear text, and the time until which it is
 * accepted. `undefined` if there is no earlier secret, or it is no longer accepted.
 */
export function openEarlierSecret(
  context: DomainContext,
  application: Application,
): { secret: string; until: Micros } | undefined {
  const earlier = acceptedSecret(context, application)
  if (!earlier) return undefined
  const { sealed, until } = earlier
  return { secret: context.vault.open(secretPurpose(application.id), sealed), until }
}

/** The client secret in clear text. */
export function openSecret(context: DomainContext, application: Application): string {
  return context.vault.open(secretPurpose(application.id), application.sealedSecret)
}

function change(
  scope: Scope,
  action: WriteAction,
  id: string,
  changes: (
    last: Application,
    tenant: Tenant,
    found: readonly Application[],
  ) => Partial<Application>,
  alike?: Alike,
): Promise<Application> {
  const { context, tenantId } = scope
  return commit(scope, action, id, (audit) =>
    context.store.applications.update(
      tenantId,
      id,
      auditingFields(audit, (last: Application, tenant: Tenant, found: readonly Application[]) =>
        updated(context, last, {
          earlierSecret: acceptedSecret(context, last),
          ...changes(last, tenant, found),
        }),
      ),
      audit,
      alike,
    ),
  )
}

/**
 * The previous secret, still sealed; `undefined` if there is no previous secret, or it is no longer
 * accepted.
 */
function acceptedSecret(
  { clock }: DomainContext,
  { earlierSecret }: Application,
): Application['earlierSecret'] {
  return earlierSecret && earlierSecret.until > nowMicros(clock) ? earlierSecret : undefined
}

function newSecret({ vault }: DomainContext, id: string): string {
  return vault.seal(secretPurpose(id), randomBytes(32).toString('base64url'))
}

function secretPurpose(id: string): string {
  return `application-secret:${id}`
}
