import type { Alike } from '../../store/ports.ts'
import type { Application } from '../../store/records.ts'
import type { DomainContext } from '../writes/context.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { API_KEY, type Api, apiOf } from './application-api.ts'

/** An API with the id of the application that offers it. */
export interface OwnedApi extends Api {
  readonly applicationId: string
}

/**
 * The APIs that the applications of a tenant offer, by identifier. If several applications offer
 * the same API, it belongs to the earliest one.
 */
export async function listApis(
  { store }: Pick<DomainContext, 'store'>,
  tenantId: string,
): Promise<ReadonlyMap<string, OwnedApi>> {
  const apis = new Map<string, OwnedApi>()
  for (let after: string | undefined, more = true; more; ) {
    const page = await store.applications.list(tenantId, { after, limit: 100 })
    for (const { id, metadata } of page?.items ?? []) {
      const api = apiOf(metadata)
      if (api && !apis.has(api.identifier)) apis.set(api.identifier, { ...api, applicationId: id })
    }
    after = page?.items.at(-1)?.id
    more = page?.more ?? false
  }
  return apis
}

/** The applications that offer the same API as these metadata, for a write that checks it; `undefined` without an API. */
export function offeringSame({ metadata }: Pick<Application, 'metadata'>): Alike | undefined {
  const { [API_KEY]: value = '' } = metadata
  return value === '' ? undefined : { member: API_KEY, value }
}

/**
 * Checks that no other application of the tenant offers the same API. A value that is already
 * stored may stay.
 *
 * @param stored - The application before the change, if it exists.
 * @param offering - The applications of {@link offeringSame} at the moment of the write, the
 *   earliest first.
 * @throws ServiceError `invalid_metadata`.
 */
export function refuseTakenApi(
  { metadata }: Pick<Application, 'metadata'>,
  stored: Application | undefined,
  offering: readonly Application[],
): void {
  const { [API_KEY]: identifier = '' } = metadata
  if (identifier === '' || identifier === stored?.metadata[API_KEY]) return
  const owner = offering.find((one) => apiOf(one.metadata)?.identifier === identifier)?.id
  if (owner === undefined || owner === stored?.id) return
  throw new ServiceError(
    'invalid_metadata',
    reason('api_taken', { key: API_KEY, value: identifier, id: owner }),
  )
}
