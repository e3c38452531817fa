import { ServiceError } from '../../../domain/writes/errors.ts'
import { reason, sentenceIn } from '../../../domain/writes/reasons/index.ts'
import { type DeliveryState, NOT_DUE } from '../../../store/deliveries.ts'
import type { Webhook, WebhookEnd } from '../../../store/records.ts'
import { type EventType, eventTypes, namedTypes } from '../../../webhooks/events.ts'
import { getWebhook, listWebhooks, type WebhookInput } from '../../../webhooks/rules.ts'
import { parseTimestamp } from '../../../wire/timestamps.ts'
import {
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
  filledBefore,
  filledFrom,
  isStale,
  mergedForm,
} from '../../forms/concurrent-edits.ts'
import { shellWord } from '../../forms/form-fields.ts'
import { keptNameIn, newKeptField } from '../../forms/kept-name.ts'
import { type Refused, refusedBy, refusedOnce } from '../../forms/refused.ts'
import type { WebhookDraft } from '../../pages/index.ts'
import { eventsInGerman } from '../../texts/de-events.ts'
import { asIs, type Sentence, translatorOf } from '../../texts/index.ts'

const PATH = '/webhooks'
const ONE = `${PATH}/:webhook`

/** The number of deliveries on a page. */
const PAGE = 50

/**
 * The routes of webhooks. Endpoints get ids and names of users, so adding or changing one needs a
 * recent login.
 */
export const webhookRoutes: readonly ConsoleRoute[] = [
  tenantPage(PATH, showWebhooks),
  tenantPage(`${PATH}/add`, (call) => showAdd(call), { needs: 'edit', isDangerous: true }),
  tenantForm(`${PATH}/add`, add, { isDangerous: true }),
  tenantPage(ONE, (call) => showWebhook(call)),
  tenantForm(ONE, change, { isDangerous: true }),
  tenantForm(`${ONE}/enable`, enable),
  tenantForm(`${ONE}/test`, test),
  tenantForm(`${ONE}/replay`, replay),
  tenantForm(`${ONE}/deliveries/:delivery/again`, sendAgain),
]

/** The path of the page of a webhook. */
export const webhookPath = ({ tenant, ids }: TenantCall): string =>
  `/console/t/${tenant.id}${PATH}/${ids.webhook}`

const listPath = ({ tenant }: TenantCall) => `/console/t/${tenant.id}${PATH}`

const ends: Readonly<Record<WebhookEnd, Sentence>> = {
  switched_off: 'switched off',
  gone: 'switched off: it answered 410',
  failing: 'switched off: it accepted nothing for five days',
  restored: 'switched off: a backup was restored',
}

const states: Readonly<Record<DeliveryState, { label: Sentence; color: string }>> = {
  waiting: { label: 'waits', color: '' },
  delivered: { label: 'delivered', color: 'good' },
  given_up: { label: 'given up', color: 'bad' },
}

const failures: Readonly<Record<string, Sentence>> = {
  timeout: 'no answer within 15 seconds',
  unreachable: 'unreachable',
}

interface Returned extends Required<Refused> {
  readonly draft: WebhookDraft
  /** The stored fields that differ from the draft, if another person has changed the endpoint. */
  readonly theirs?: Readonly<Record<string, string>>
  /** The filling of a form that was merged with the stored values. */
  readonly filled?: Filled
}

async function showWebhooks(call: TenantCall): Promise<Result> {
  const webhooks = await listWebhooks(call.scope)
  return {
    kind: 'page',
    name: 'webhooks',
    title: 'Webhooks',
    ...(may(call, 'edit') && {
      action: { href: `${listPath(call)}/add`, label: 'Add an endpoint' },
    }),
    data: {
      base: listPath(call),
      webhooks: webhooks.map((one) => ({ ...shown(one), types: one.types })),
    },
    commands: [`latchkey webhooks list --tenant ${call.tenant.id}`],
  }
}

function showAdd(call: TenantCall, refused?: Returned): Promise<Result> {
  const command = 'latchkey webhooks add --endpoint https://shop.example.com/webhooks'
  return Promise.resolve({
    kind: 'page',
    name: 'webhook-add',
    title: 'Add an endpoint',
    data: {
      ...formOf(refused?.draft ?? { url: '', description: '', types: [] }),
      action: `${listPath(call)}/add`,
      keptName: newKeptField(),
    },
    commands: [`${command} --tenant ${call.tenant.id}`],
    ...(refused && { problem: refused.problem, status: refused.status }),
  })
}

async function add(call: TenantCall): Promise<Result> {
  const { scope, form } = call
  try {
    const { webhook, secret } = await call.webhooks.create(scope, inputOf(form), keptNameIn(form))
    return { kind: 'secrets', to: `${listPath(call)}/${webhook.id}`, secrets: { secret } }
  } catch (error) {
    return showAdd(call, { draft: draftIn(form), ...refusedOnce(error) })
  }
}

async function showWebhook(call: TenantCall, refused?: Returned): Promise<Result> {
  const { scope, ids, query, tenant, webhooks } = call
  const webhook = await getWebhook(scope, ids.webhook ?? '')
  const state = (Object.keys(states) as DeliveryState[]).find((one) => one === query.get('state'))
  const before = /^\d{1,15}$/.test(query.get('before') ?? '')
    ? Number(query.get('before'))
    : undefined
  const found = await webhooks.deliveries(scope, webhook.id, { state, before, limit: PAGE + 1 })
  const deliveries = found.slice(0, PAGE)
  const last = found.length > PAGE ? deliveries.at(-1) : undefined
  // The form that sends events again has no fields of the endpoint.
  const isKept = refused !== undefined && call.form.has('read_at')
  const now = isKept ? filledBefore(call.form) : filledFrom(webhook, valuesOf(webhook))
  const given = `${webhook.id} --tenant ${tenant.id}`
  return {
    kind: 'page',
    name: 'webhook',
    title: asIs(webhook.description || new URL(webhook.url).host),
    data: {
      webhook: shown(webhook),
      ...formOf(refused?.draft ?? webhook),
      theirs: refused?.theirs ?? {},
      ...(refused?.filled ?? now),
      secret: secretIn(call, 'secret'),
      tested: secretIn(call, 'tested'),
      base: webhookPath(call),
      state: state ?? '',
      states: Object.entries(states).map(([value, { label }]) => [value, label]),
      further:
        last && new URLSearchParams({ state: state ?? '', before: String(last.id) }).toString(),
      deliveries: deliveries.map((one) => ({
        ...one,
        state: states[one.outcome ?? 'waiting'],
        answer: one.status === undefined ? failures[one.reason ?? ''] : asIs(String(one.status)),
        dueAt: one.outcome === undefined && one.dueAt < NOT_DUE ? one.dueAt : undefined,
      })),
    },
    commands: [
      `latchkey webhooks test ${given}`,
      `latchkey webhooks deliveries ${given}`,
      `latchkey webhooks replay ${given} --from ${shellWord('2027-01-31T09:30:00Z')}`,
    ],
    ...(refused && { problem: refused.problem, status: refused.status }),
  }
}

async function change(call: TenantCall): Promise<Result> {
  const { scope, ids, form, webhooks } = call
  const stored = await getWebhook(scope, ids.webhook ?? '')
  if (isStale(form, stored)) return showMeanwhile(call)
  try {
    const { disabled, metadata, updatedAt } = stored
    const input = { ...inputOf(form), metadata, disabled: disabled !== undefined }
    await webhooks.update(scope, ids.webhook ?? '', input, updatedAt)
    return redirectTo(webhookPath(call), 'saved')
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'conflict') return showMeanwhile(call)
    return showWebhook(call, returnedBy(error, form))
  }
}

/**
 * Shows the form again after another person has changed the endpoint, with the submitted and the
 * stored values.
 */
async function showMeanwhile(call: TenantCall): Promise<Result> {
  const webhook = await getWebhook(call.scope, call.ids.webhook ?? '')
  const sent = valuesOf(draftIn(call.form))
  const { kept, shown: again } = mergedForm(call.form, sent, webhook, valuesOf(webhook))
  const { url, description, types } = kept.fields
  return showWebhook(call, {
    draft: { url, description, types: types.split(' ').filter(Boolean) },
    ...again,
  })
}

/** A draft as values of a form. The types of events are one text. */
function valuesOf({ url, description, types }: WebhookDraft): FormValues<keyof WebhookDraft> {
  return { fields: { url, description, types: [...types].sort().join(' ') }, metadata: [] }
}

async function enable(call: TenantCall): Promise<Result> {
  const { scope, ids, webhooks } = call
  const webhook = await getWebhook(scope, ids.webhook ?? '')
  const { url, description, types, metadata, updatedAt } = webhook
  await webhooks.update(scope, webhook.id, { url, description, types, metadata }, updatedAt)
  return redirectTo(webhookPath(call), 'enabled')
}

/**
 * Sends a test event and shows the answer. A reload does not show it again, as it may be out of
 * date then.
 */
async function test(call: TenantCall): Promise<Result> {
  const {
    isAccepted,
    status,
    reason: why,
    millis,
  } = await call.webhooks.test(call.scope, call.ids.webhook ?? '')
  const silence = failures[why ?? '']
  const answer =
    status === undefined
      ? translatorOf(call.language).t(silence ?? asIs(''))
      : reason('webhook_status', { status })
  const name = isAccepted ? 'webhook_accepted' : 'webhook_not_accepted'
  const tested = sentenceIn(call.language, reason(name, { answer, millis }))
  return { kind: 'secrets', to: webhookPath(call), secrets: { tested } }
}

async function replay(call: TenantCall): Promise<Result> {
  const { scope, ids, form, webhooks } = call
  const from = parseTimestamp(`${form.get('from') ?? ''}:00Z`)
  const webhook = await getWebhook(scope, ids.webhook ?? '')
  if (from === undefined) {
    const problem: Sentence = 'Give the date and the time from which events are sent once more.'
    return showWebhook(call, { draft: webhook, problem, status: 422 })
  }
  try {
    await webhooks.replay(scope, webhook.id, { from, to: Number.MAX_SAFE_INTEGER })
    return redirectTo(webhookPath(call), 'replayed')
  } catch (error) {
    const { problem, status } = returnedBy(error, form)
    return showWebhook(call, { draft: webhook, problem, status })
  }
}

async function sendAgain(call: TenantCall): Promise<Result> {
  const { scope, ids, webhooks } = call
  await webhooks.sendAgain(scope, ids.webhook ?? '', Number(ids.delivery) || 0)
  return redirectTo(webhookPath(call), 'replayed')
}

function shown({ id, url, description, disabled, createdAt, updatedAt }: Webhook) {
  return { id, url, description, createdAt, updatedAt, end: disabled && ends[disabled] }
}

/**
 * The data of the form: its fields, and all types of events with a description in each language.
 */
function formOf(draft: WebhookDraft) {
  const types = Object.entries(eventTypes)
    .filter(([name]) => name !== 'webhook.test')
    .map(([name, text]) => ({
      name,
      text: { en: text, de: eventsInGerman[name as EventType] },
      isNamed: namedTypes.has(name as never),
    }))
  return { draft, types }
}

function inputOf(form: URLSearchParams): WebhookInput {
  return {
    url: (form.get('url') ?? '').trim(),
    description: (form.get('description') ?? '').trim(),
    types: form.getAll('types'),
  }
}

function draftIn(form: URLSearchParams): WebhookDraft {
  const { url, description = '', types = [] } = inputOf(form)
  return { url, description, types }
}

function returnedBy(error: unknown, form: URLSearchParams): Returned {
  return { draft: draftIn(form), ...refusedBy(error) }
}
