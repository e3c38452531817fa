import { z } from 'zod'
import { notFound, ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import type { Delivery } from '../../store/deliveries.ts'
import type { Webhook } from '../../store/records.ts'
import { eventTypes } from '../../webhooks/events.ts'
import {
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  type WebhookWithSecret,
} from '../../webhooks/rules.ts'
import { omitZero } from '../../wire/omit-zero.ts'
import { decodePlace, encodePlace } from '../../wire/places.ts'
import { formatTimestamp, parseTimestamp } from '../../wire/timestamps.ts'
import { type ListRoute, query, type Route, write } from '../route.ts'

const tenant = '/x/v1/tenants/:tenant_id'
const collection = `${tenant}/webhooks`
const one = `${collection}/:webhook_id`

const typeNames = Object.keys(eventTypes)
const anEmptyObject = z.object({}).meta({ description: 'An empty object.' })

const webhookBody = z
  .object({
    url: z.string().max(2_000).meta({
      format: 'uri',
      description:
        'Where events are sent by POST: https, on the public internet, without redirects.',
    }),
    description: z.string().max(1_000).optional(),
    types: z
      .array(z.string().max(100))
      .max(typeNames.length)
      .optional()
      .meta({
        description: `The types of events. None: all but login.succeeded and login.failed. There are: ${typeNames.join(', ')}.`,
      }),
    metadata: z.record(z.string(), z.string()).optional(),
    disabled: z.boolean().optional().meta({ description: 'Whether it gets no events.' }),
  })
  .meta({ description: 'An endpoint.' })

const instant = z.string().max(50).meta({ format: 'date-time' })
const replayBody = z.object({ from: instant, to: instant.optional() }).meta({
  description: 'From an instant on, and before another one, which is now by default.',
})

const sequence = z.tuple([z.int().nonnegative()])

/** The routes of webhook endpoints, of their deliveries, and of events. */
export const webhookRoutes: Route[] = [
  write({
    path: collection,
    operationId: 'createWebhook',
    summary: 'Add an endpoint for events; the answer has the key of its signatures, once',
    resource: 'Webhook',
    body: webhookBody,
    run: async ({ scope, webhooks }, body) => withSecret(await webhooks.create(scope, body)),
  }),
  {
    kind: 'list',
    path: collection,
    operationId: 'listWebhooks',
    summary: 'The endpoints for events of a tenant, at most ten',
    resource: 'Webhook',
    async run({ scope }, { after = '', limit }) {
      const all = await listWebhooks(scope)
      const rest = all.filter(({ id }) => id > after)
      return { total: all.length, items: rest.slice(0, limit), more: rest.length > limit }
    },
    serialize: (_, webhook: Webhook) => serializeWebhook(webhook),
  } as ListRoute,
  {
    kind: 'get',
    path: one,
    operationId: 'getWebhook',
    summary: 'One endpoint for events',
    resource: 'Webhook',
    run: async ({ scope, ids }) => serializeWebhook(await getWebhook(scope, ids.webhook_id)),
  },
  write({
    path: one,
    operationId: 'updateWebhook',
    summary:
      'Replace an endpoint; one that is switched on again gets the events of the time in which it was off',
    resource: 'Webhook',
    body: webhookBody,
    run: async ({ scope, ids, webhooks }, body) =>
      serializeWebhook(await webhooks.update(scope, ids.webhook_id, body)),
  }),
  {
    kind: 'delete',
    path: one,
    operationId: 'deleteWebhook',
    summary: 'Delete an endpoint with its deliveries',
    resource: 'Webhook',
    run: async ({ scope, ids }) => serializeWebhook(await deleteWebhook(scope, ids.webhook_id)),
  },
  write({
    path: `${one}/rotate`,
    operationId: 'rotateWebhookSecret',
    summary: 'Give an endpoint a new key; for 24 hours events are signed with both',
    resource: 'Webhook',
    body: anEmptyObject,
    run: async ({ scope, ids }) => withSecret(await rotateSecret(scope, ids.webhook_id)),
  }),
  write({
    path: `${one}/test`,
    operationId: 'testWebhook',
    summary: 'Send a test event now; answers with what the endpoint has answered',
    resource: 'WebhookTest',
    body: anEmptyObject,
    async run({ scope, ids, webhooks }) {
      const answer = await webhooks.test(scope, ids.webhook_id)
      return omitZero({
        type: 'WebhookTest',
        accepted: answer.isAccepted,
        status: answer.status,
        reason: answer.reason,
        milliseconds: answer.millis,
      })
    },
  }),
  write({
    path: `${one}/replay`,
    operationId: 'replayWebhook',
    summary: 'Send the events of a time to an endpoint once more, under their ids of before',
    resource: 'WebhookReplay',
    body: replayBody,
    async run({ scope, ids, webhooks }, { from, to }) {
      const until = to === undefined ? Number.MAX_SAFE_INTEGER : microsOf('to', to)
      const range = { from: microsOf('from', from), to: until }
      const { events, from: rest } = await webhooks.replay(scope, ids.webhook_id, range)
      return omitZero({
        type: 'WebhookReplay',
        events,
        from: rest === undefined ? undefined : formatTimestamp(rest),
      })
    },
  }),
  query({
    path: `${one}/deliveries`,
    operationId: 'listDeliveries',
    summary: 'The deliveries of the last 30 days to an endpoint, the newest first',
    resource: 'Delivery',
    filters: z.object({
      state: z
        .enum(['waiting', 'delivered', 'given_up'])
        .optional()
        .meta({ description: 'The state of the deliveries.' }),
    }),
    serialize: serializeDelivery,
    async run({ scope, ids, webhooks }, { state }, { after, limit }) {
      const [before] = decodePlace(after, sequence) ?? []
      const asked = { state, before, limit: limit + 1 }
      const found = await webhooks.deliveries(scope, ids.webhook_id, asked)
      const items = found.slice(0, limit)
      const last = found.length > limit ? items.at(-1) : undefined
      return { items, next: last && encodePlace([last.id]) }
    },
  }),
  write({
    path: `${one}/deliveries/:delivery_id/resend`,
    operationId: 'resendDelivery',
    summary: 'Send an event to an endpoint once more',
    resource: 'Delivery',
    body: anEmptyObject,
    async run({ scope, ids, webhooks }) {
      if (!/^[1-9]\d{0,14}$/.test(ids.delivery_id)) throw notFound()
      return serializeDelivery(
        await webhooks.sendAgain(scope, ids.webhook_id, Number(ids.delivery_id)),
      )
    },
  }),
  query({
    path: `${tenant}/events`,
    operationId: 'listEvents',
    summary: 'The events of a tenant in their order; link has the address of those that follow',
    resource: 'Event',
    filters: z.object({
      types: z.string().max(1_000).optional().meta({
        description:
          'The types, separated by commas. None: all but login.succeeded and login.failed.',
      }),
      wait: z.string().optional().meta({
        description: 'How many seconds to wait for an event where there is none, from 0 to 30.',
      }),
    }),
    serialize: (event) => event,
    async run({ scope, webhooks, isAbandoned }, { types = '', wait = '0' }, { after, limit }) {
      const page = await webhooks.read(scope, {
        after: sequenceOf(after),
        types: types.split(',').filter((type) => type !== ''),
        limit,
        waitSeconds: secondsOf(wait),
        isAbandoned,
      })
      return { items: page.events, next: String(page.next) }
    },
  }),
]

/** The `sequence` of the last event that a reader has read; 0 without `after`. */
function sequenceOf(after: string | undefined): number {
  if (after === undefined) return 0
  if (/^\d{1,16}$/.test(after)) return Number(after)
  throw new ServiceError('invalid_request', reason('query_after_sequence'))
}

function secondsOf(wait: string): number {
  if (/^([12]?\d|30)$/.test(wait)) return Number(wait)
  throw new ServiceError('invalid_request', reason('query_wait'))
}

function microsOf(name: string, text: string): number {
  const at = parseTimestamp(text)
  if (at !== undefined) return at
  throw new ServiceError('invalid_request', reason('field_not_timestamp', { name }))
}

/** A webhook endpoint in the form of the API, without its keys. */
function serializeWebhook(webhook: Webhook): object {
  return omitZero({
    type: 'Webhook',
    id: webhook.id,
    created_at: formatTimestamp(webhook.createdAt),
    updated_at: formatTimestamp(webhook.updatedAt),
    url: webhook.url,
    description: webhook.description,
    types: webhook.types,
    metadata: webhook.metadata,
    disabled: webhook.disabled !== undefined,
    disabled_reason: webhook.disabled,
  })
}

function withSecret({ webhook, secret }: WebhookWithSecret): object {
  return { ...serializeWebhook(webhook), secret }
}

function serializeDelivery(delivery: Delivery): object {
  const { outcome } = delivery
  return omitZero({
    type: 'Delivery',
    id: String(delivery.id),
    created_at: formatTimestamp(delivery.createdAt),
    event_id: delivery.eventId,
    event_type: delivery.type,
    state: outcome ?? 'waiting',
    attempts: delivery.attempts,
    tried_at: delivery.triedAt === undefined ? undefined : formatTimestamp(delivery.triedAt),
    due_at: outcome === undefined ? formatTimestamp(delivery.dueAt) : undefined,
    status: delivery.status,
    reason: delivery.reason,
    milliseconds: delivery.millis,
  })
}
