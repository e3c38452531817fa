import type { DataStore, Restore, RestoreInput } from '../../store/ports.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { commit } from '../writes/commit.ts'
import { type ServiceScope, updated } from '../writes/context.ts'
import { found } from '../writes/errors.ts'

/**
 * An object that came back with a restored backup. It may have been revoked or deleted after the
 * backup was made.
 */
export interface Unconfirmed {
  id: string
  kind: 'API key' | 'operator' | 'endpoint'
  /** The display name: the name of a key, the address of an operator, or the URL of an endpoint. */
  name: string
}

/** Records that a backup was restored. See {@link RestoreInput}. */
export async function noteRestore(store: DataStore, input: RestoreInput): Promise<Restore> {
  const outcome = await store.restores.note(input, {
    ...{ at: input.at, tenantId: undefined, actor: 'service', requestId: undefined },
    ...{ action: 'service.restore', target: 'service', outcome: 'success' },
    ...{ address: undefined, userAgent: undefined, applicationId: undefined },
  })
  if (outcome.kind !== 'written') throw new Error('The restore could not be noted.')
  return outcome.record
}

/** The API keys, operators and endpoints that must be confirmed after a restore. */
export async function listUnconfirmed(store: DataStore): Promise<Unconfirmed[]> {
  const [keys, operators, endpoints] = await Promise.all([
    store.apiKeys.list(),
    store.operators.list(),
    store.webhooks.all(),
  ])
  return [
    ...keys
      .filter(({ isUnconfirmed, revokedAt }) => isUnconfirmed && revokedAt === undefined)
      .map(({ id, name }): Unconfirmed => ({ id, kind: 'API key', name })),
    ...operators
      .filter(({ operator }) => operator.isUnconfirmed)
      .map(({ user }): Unconfirmed => ({ id: user.id, kind: 'operator', name: user.email })),
    ...endpoints
      .filter(({ disabled }) => disabled === 'restored')
      .map(({ id, url }): Unconfirmed => ({ id, kind: 'endpoint', name: url })),
  ]
}

/**
 * Confirms an API key, an operator or an endpoint, so that it takes effect again.
 *
 * @throws ServiceError `not_found` if no object with this id waits to be confirmed.
 */
export async function confirm(scope: ServiceScope, id: string): Promise<Unconfirmed> {
  const { context } = scope
  const one = found((await listUnconfirmed(context.store)).find((each) => each.id === id))
  const { restores } = context.store
  switch (one.kind) {
    case 'API key':
      await commit(scope, 'api_key.confirm', id, (audit) => restores.confirm(id, audit))
      break
    case 'operator': {
      const own = { ...scope, tenantId: SYSTEM_TENANT_ID }
      await commit(own, 'operator.confirm', id, (audit) => restores.confirm(id, audit))
      break
    }
    case 'endpoint':
      await switchOn(scope, id)
  }
  return one
}

async function switchOn(scope: ServiceScope, id: string): Promise<void> {
  const { context } = scope
  const { webhooks, deliveries } = context.store
  const { tenantId } = found((await webhooks.all()).find((each) => each.id === id))
  await commit({ ...scope, tenantId }, 'webhook.update', id, (audit) =>
    webhooks.update(tenantId, id, (last) => updated(context, last, { disabled: undefined }), {
      ...audit,
      fields: ['disabled=false'],
    }),
  )
  await deliveries.resume(id)
}

/** The advice after a restore, in sentences. Empty if no object waits to be confirmed. */
export async function restoreFindings(store: DataStore): Promise<string[]> {
  const unconfirmed = await listUnconfirmed(store)
  if (unconfirmed.length === 0) return []
  const latest = await store.restores.latest()
  const when = latest === undefined ? '' : ` at ${new Date(latest.at / 1_000).toISOString()}`
  const counts = (['API key', 'operator', 'endpoint'] as const).flatMap((kind) => {
    const count = unconfirmed.filter((one) => one.kind === kind).length
    return count === 0 ? [] : [`${count} ${kind}${count === 1 ? '' : 's'}`]
  })
  return [
    `A backup was restored${when}. It knows nothing of later revocations and deletions. Unconfirmed, ` +
      `and without effect until then: ${new Intl.ListFormat('en').format(counts)}. ` +
      'List and confirm them: latchkey-service confirm',
  ]
}
