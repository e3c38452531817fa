import { opensDeveloperMode } from '../domain/tenants/developer-mode.ts'
import { getTenant } from '../domain/tenants/tenants.ts'
import { auditingFields, commit, unlessRefused } from '../domain/writes/commit.ts'
import {
  type DomainContext,
  nowMicros,
  refuseStale,
  type Scope,
  updated,
} from '../domain/writes/context.ts'
import { found, ServiceError } from '../domain/writes/errors.ts'
import { formedId, newId } from '../domain/writes/ids.ts'
import { nearestName } from '../domain/writes/nearest-name.ts'
import { reason } from '../domain/writes/reasons/index.ts'
import { checkMetadata, checkText, checkUrl } from '../domain/writes/rules.ts'
import type { Outgoing } from '../egress/outgoing.ts'
import { MAX_WEBHOOKS } from '../store/deliveries.ts'
import type { Metadata, Micros, Webhook, WebhookEnd } from '../store/records.ts'
import { eventTypes } from './events.ts'
import { newSecret } from './signature.ts'

/** The fields of an endpoint that a customer sets. */
export interface WebhookInput {
  url: string
  /** Default: empty. */
  description?: string | undefined
  /** The types of events. An empty list means all but those of logins. */
  types?: readonly string[] | undefined
  metadata?: Metadata | undefined
  disabled?: boolean | undefined
}

/** An endpoint with the key of its signatures in clear text, which is shown once. */
export interface WebhookWithSecret {
  webhook: Webhook
  secret: string
}

/** The services that the rules of endpoints need. */
export interface WebhookContext {
  readonly domain: DomainContext
  readonly outgoing: Pick<Outgoing, 'refusalOf'>
}

/** The seconds after a rotation in which events are also signed with the previous key. */
const OVERLAP_SECONDS = 86_400

/**
 * Creates an endpoint.
 *
 * @param form - The name of the form that makes the endpoint, if any. A form makes one endpoint.
 * @throws ServiceError `invalid_url`, `invalid_metadata` or `invalid_request` for invalid fields;
 *   `conflict` if the tenant has ten endpoints already, `already_exists` if `form` has made one.
 */
export async function createWebhook(
  { outgoing }: WebhookContext,
  scope: Scope,
  input: WebhookInput,
  form?: string,
): Promise<WebhookWithSecret> {
  const { context, tenantId } = scope
  await check(scope, outgoing, input)
  const { store, vault } = context
  const id = form === undefined ? newId('whk', context.clock) : formedId('whk', scope, form)
  const now = nowMicros(context.clock)
  const secret = newSecret()
  const webhook: Webhook = {
    id,
    tenantId,
    createdAt: now,
    updatedAt: now,
    ...fieldsOf(input),
    disabled: input.disabled ? 'switched_off' : undefined,
    sealedSecret: vault.seal(purpose(id), secret),
    earlierSecret: undefined,
  }
  await commit(scope, 'webhook.create', id, (audit) =>
    store.webhooks.insert(webhook, audit, (existing) => {
      if (existing.length < MAX_WEBHOOKS || existing.some((one) => one.id === id)) return
      throw new ServiceError('conflict', reason('webhooks_full', { count: MAX_WEBHOOKS }))
    }),
  )
  return { webhook, secret }
}

/**
 * The endpoints of the tenant, in the order of creation.
 *
 * @throws ServiceError `not_found` for an unknown tenant.
 */
export async function listWebhooks(scope: Scope): Promise<Webhook[]> {
  await getTenant(scope)
  return scope.context.store.webhooks.list(scope.tenantId)
}

/**
 * One endpoint of the tenant.
 *
 * @throws ServiceError `not_found` if the tenant has no such endpoint.
 */
export async function getWebhook({ context, tenantId }: Scope, id: string): Promise<Webhook> {
  return found(await context.store.webhooks.get(tenantId, id))
}

/**
 * Replaces the fields of an endpoint. An endpoint that is switched on again gets the events that it
 * has missed.
 *
 * @param readAt - The `updatedAt` that the caller has read; `undefined` for any.
 * @throws ServiceError like {@link createWebhook}, `not_found`, and `conflict` if the endpoint was
 *   changed since.
 */
export async function updateWebhook(
  { outgoing }: WebhookContext,
  scope: Scope,
  id: string,
  input: WebhookInput,
  readAt?: Micros,
): Promise<Webhook> {
  const { context } = scope
  const before = await getWebhook(scope, id)
  refuseStale(before, readAt)
  await check(scope, outgoing, input, before)
  // `miss` is called before the write, so that no event in between is lost. It is also called for
  // an endpoint that is already off, because another change may switch the endpoint on meanwhile.
  if (input.disabled) await context.store.deliveries.miss(id)
  let wasOff = false
  const after = await change(scope, 'webhook.update', id, (last) => {
    refuseStale(last, readAt)
    wasOff = last.disabled !== undefined
    const disabled = input.disabled ? (last.disabled ?? 'switched_off') : undefined
    return { ...fieldsOf(input), disabled }
  })
  if (wasOff && !after.disabled) await context.store.deliveries.resume(id)
  return after
}

/**
 * Gives an endpoint a new key. For a day, events are also signed with the previous key.
 *
 * @param readAt - The `updatedAt` that the caller has read; `undefined` for any.
 * @throws ServiceError `not_found`, and `conflict` if the endpoint was changed since.
 */
export async function rotateSecret(
  scope: Scope,
  id: string,
  readAt?: Micros,
): Promise<WebhookWithSecret> {
  const { context } = scope
  const secret = newSecret()
  const sealedSecret = context.vault.seal(purpose(id), secret)
  const until = nowMicros(context.clock) + OVERLAP_SECONDS * 1e6
  const webhook = await change(scope, 'webhook.rotate_secret', id, (last) => {
    refuseStale(last, readAt)
    return { sealedSecret, earlierSecret: { sealed: last.sealedSecret, until } }
  })
  return { webhook, secret }
}

/**
 * Switches off an endpoint that does not accept events. Resolves to `false` if it was off or
 * deleted already.
 */
export async function disableWebhook(
  scope: Scope,
  id: string,
  reason: Exclude<WebhookEnd, 'switched_off'>,
): Promise<boolean> {
  let wasOn = false
  await scope.context.store.deliveries.miss(id)
  const done = change(scope, 'webhook.disable', id, (last) => {
    wasOn = !last.disabled
    return wasOn ? { disabled: reason } : undefined
  })
  await unlessRefused(done, 'not_found')
  return wasOn
}

/** Deletes an endpoint with its deliveries. Resolves to its last version. */
export function deleteWebhook(scope: Scope, id: string): Promise<Webhook> {
  const { context, tenantId } = scope
  return commit(scope, 'webhook.delete', id, (audit) =>
    context.store.webhooks.delete(tenantId, id, audit),
  )
}

/** The keys with which events are signed now, in clear text. */
export function secretsOf({ vault, clock }: DomainContext, webhook: Webhook): string[] {
  const { id, sealedSecret, earlierSecret } = webhook
  const isAccepted = earlierSecret && earlierSecret.until > nowMicros(clock)
  const sealed = isAccepted ? [sealedSecret, earlierSecret.sealed] : [sealedSecret]
  return sealed.map((one) => vault.open(purpose(id), one))
}

/** Seals the keys of all endpoints under the newest master key. `updatedAt` stays. */
export async function resealWebhooks(context: DomainContext): Promise<void> {
  const { vault, store } = context
  function reseal(last: Webhook): Webhook {
    const { id, earlierSecret: earlier } = last
    const sealedSecret = vault.reseal(purpose(id), last.sealedSecret)
    const earlierSealed = earlier && vault.reseal(purpose(id), earlier.sealed)
    if (sealedSecret === undefined && earlierSealed === undefined) return last
    return {
      ...last,
      sealedSecret: sealedSecret ?? last.sealedSecret,
      earlierSecret: earlier && { ...earlier, sealed: earlierSealed ?? earlier.sealed },
    }
  }
  for (const { id, tenantId } of await store.webhooks.all()) {
    const scope = { context, actor: { name: 'service' }, tenantId }
    const done = commit(scope, 'webhook.reseal', id, (audit) =>
      store.webhooks.update(tenantId, id, reseal, audit),
    )
    await unlessRefused(done, 'not_found')
  }
}

function change(
  scope: Scope,
  action: 'webhook.update' | 'webhook.rotate_secret' | 'webhook.disable',
  id: string,
  changes: (last: Webhook) => Partial<Webhook> | undefined,
): Promise<Webhook> {
  const { context, tenantId } = scope
  return commit(scope, action, id, (audit) =>
    context.store.webhooks.update(
      tenantId,
      id,
      auditingFields(audit, (last) => {
        const changed = changes(last)
        return changed ? updated(context, last, changed) : last
      }),
      audit,
    ),
  )
}

function fieldsOf(
  input: WebhookInput,
): Pick<Webhook, 'url' | 'description' | 'types' | 'metadata'> {
  const { url, description = '', types = [], metadata = {} } = input
  return { url, description: description.trim(), types: [...new Set(types)], metadata }
}

async function check(
  scope: Scope,
  outgoing: WebhookContext['outgoing'],
  { url, description = '', types = [], metadata = {} }: WebhookInput,
  before?: Webhook,
): Promise<void> {
  const tenant = await getTenant(scope)
  if (url !== before?.url) {
    checkUrl('"url"', url, opensDeveloperMode(scope.context, tenant))
    const refusal = await outgoing.refusalOf(scope.tenantId, new URL(url))
    if (refusal) throw new ServiceError('invalid_url', reason('webhook_url', { reason: refusal }))
  }
  checkText('invalid_request', '"description"', description, 200)
  checkMetadata(metadata)
  checkTypes(types)
}

/**
 * Checks the names of types of events.
 *
 * @throws ServiceError `invalid_request` for an unknown type.
 */
export function checkTypes(types: readonly string[]): void {
  const known = Object.keys(eventTypes)
  const unknown = types.find((type) => !known.includes(type))
  if (unknown === undefined) return
  const nearest = nearestName(unknown, known)
  const because =
    nearest === undefined
      ? reason('webhook_type_of', { type: unknown, all: known.join(', ') })
      : reason('webhook_type', { type: unknown, nearest })
  throw new ServiceError('invalid_request', because)
}

function purpose(id: string): string {
  return `webhook:${id}`
}
