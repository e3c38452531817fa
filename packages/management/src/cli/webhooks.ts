import type { Command } from 'commander'
import { oneLine } from '../command-line/terminal.ts'
import type { Delivery, TenantEvent, Webhook, WebhookInput } from '../types.ts'
import { connect, type TenantOptions, tenantOf, withTenant } from './options.ts'
import { type Columns, type OutputOptions, printAll, printOne, withOutput } from './output.ts'

type Options = TenantOptions & OutputOptions

const webhookColumns: Columns<Webhook> = ({ id, url, types, disabled_reason }) => ({
  ...{ id, url, types: types.length === 0 ? 'all' : types.join(' ') },
  state: disabled_reason ?? 'on',
})

const deliveryColumns: Columns<Delivery> = ({
  id,
  created_at,
  event_type,
  state,
  ...delivery
}) => ({
  ...{ id, created: created_at, event: event_type, state },
  attempts: String(delivery.attempts),
  answer: String(delivery.status ?? delivery.reason ?? ''),
})

const eventColumns: Columns<TenantEvent> = ({ type, timestamp, data }) => ({
  ...{ sequence: String(data.sequence), at: timestamp, type, object: data.id },
  ...{ changed: (data.changed ?? []).join(' '), actor: data.actor },
})

/** Adds `webhooks` and `events`. */
export function addWebhookCommands(program: Command): void {
  const add = (group: Command, usage: string, description: string): Command =>
    withOutput(withTenant(group.command(usage).description(description)))
  const open = async (options: Options) => {
    const client = connect(options)
    const tenantId = await tenantOf(client, options)
    return { webhooks: client.webhooks(tenantId), events: client.events(tenantId) }
  }

  const webhooks = program
    .command('webhooks')
    .description('list, add, enable, disable, delete, rotate, test, replay endpoints for events')
  add(webhooks, 'list', 'Show the endpoints.').action(async (options: Options) => {
    await printAll((await open(options)).webhooks.list(), options, webhookColumns)
  })
  add(webhooks, 'get <id>', 'Show one endpoint.').action(async (id: string, options: Options) => {
    await printOne(await (await open(options)).webhooks.get(id), options)
  })
  add(webhooks, 'add', 'Add an endpoint; shows the key of its signatures, once.')
    .requiredOption('--endpoint <url>', 'where events are sent by POST')
    .option('--types <types...>', 'the types of events (default: all but those of logins)')
    .option('--description <text>', 'what it is for')
    .action(async (options: Options & Omit<WebhookInput, 'url'> & { endpoint: string }) => {
      const { endpoint: url, types, description } = options
      const input = { url, ...(types && { types }), ...(description && { description }) }
      await printOne(await (await open(options)).webhooks.create(input), options)
    })
  for (const [name, disabled] of [
    ['enable', false],
    ['disable', true],
  ] as const) {
    const description = disabled
      ? 'Send an endpoint no more events.'
      : 'Send an endpoint events again, also those of the time in which it was off.'
    add(webhooks, `${name} <id>`, description).action(async (id: string, options: Options) => {
      await printOne(await (await open(options)).webhooks.update(id, { disabled }), options)
    })
  }
  add(webhooks, 'delete <id>', 'Delete an endpoint with its deliveries.').action(
    async (id: string, options: Options) => {
      await printOne((await (await open(options)).webhooks.delete(id)) ?? {}, options)
    },
  )
  add(webhooks, 'rotate <id>', 'Make a new key; for 24 hours events are signed with both.').action(
    async (id: string, options: Options) => {
      await printOne(await (await open(options)).webhooks.rotate(id), options)
    },
  )
  add(webhooks, 'test <id>', 'Send a test event, and show what the endpoint answers.').action(
    async (id: string, options: Options) => {
      await printOne(await (await open(options)).webhooks.test(id), options)
    },
  )
  add(webhooks, 'replay <id>', 'Send the events of a time once more.')
    .requiredOption('--from <instant>', 'such as 2026-01-31T09:30:00Z')
    .option('--to <instant>', 'before this instant (default: now)')
    .action(async (id: string, options: Options & { from: string; to?: string }) => {
      const { from, to } = options
      await printOne(await (await open(options)).webhooks.replay(id, { from, to }), options)
    })
  add(webhooks, 'deliveries <id>', 'Show what became of the events of the last 30 days.')
    .option('--state <state>', 'waiting, delivered or given_up')
    .action(async (id: string, options: Options & { state?: Delivery['state'] }) => {
      const { state } = options
      const list = (await open(options)).webhooks.deliveries(id, { state })
      await printAll(list, options, deliveryColumns)
    })
  add(webhooks, 'resend <id> <delivery>', 'Send one event once more.').action(
    async (id: string, delivery: string, options: Options) => {
      await printOne(await (await open(options)).webhooks.sendAgain(id, delivery), options)
    },
  )

  const events = program.command('events').description('list, follow the events of a tenant')
  const read = (usage: string, description: string) =>
    add(events, usage, description)
      .option('--after <sequence>', 'the sequence of the last event that you have')
      .option('--types <types...>', 'the types of events (default: all but those of logins)')
  type EventOptions = Options & { after?: string; types?: string[] }
  const queryOf = ({ after, types }: EventOptions) => ({
    after: after === undefined ? undefined : Number(after),
    types,
  })
  read('list', 'Show what there is, the oldest first.').action(async (options: EventOptions) => {
    await printAll((await open(options)).events.list(queryOf(options)), options, eventColumns)
  })
  read('follow', 'Print events as they happen, as NDJSON.').action(
    async (options: EventOptions) => {
      const followed = (await open(options)).events.follow({
        ...queryOf(options),
        onOutage: ({ message }) => console.error(oneLine(`${message} Asking again.`)),
      })
      await printAll(followed, { output: 'ndjson' }, eventColumns)
    },
  )
}
