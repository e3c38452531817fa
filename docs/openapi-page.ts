/** A schema of the document, as far as the page shows it. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly readOnly?: boolean
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Content {
  readonly 'application/json'?: { readonly schema: Schema; readonly example?: unknown }
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >
}

/** The OpenAPI document of the service. */
export interface OpenApi {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** The tags of the document whose operations belong to one resource of the page. */
const TITLES: Readonly<Record<string, string>> = {
  Tenant: 'Tenants',
  Application: 'Applications',
  User: 'Users',
  UserData: 'Users',
  Credential: 'Credentials',
  PasswordCredential: 'Credentials',
  AuditEntry: 'Audit log',
  Session: 'Sessions',
  EndedSessions: 'Sessions',
  LoginTrouble: 'Obstacles to a login',
  Grant: 'Grants',
  Program: 'Programs',
  TenantTexts: 'Texts',
  TenantLogo: 'Logo',
  Mail: 'Mails',
  Webhook: 'Webhooks',
  WebhookTest: 'Webhooks',
  WebhookReplay: 'Webhooks',
  Delivery: 'Webhooks',
  Event: 'Events',
}

/**
 * The page of the management API in Markdown: the operations of each resource, then the objects, once each. Tables have
 * two columns, which a phone has room for.
 *
 * @param statuses - The HTTP status of each error code.
 */
export function referencePage(
  document: OpenApi,
  statuses: Readonly<Record<string, number>>,
): string {
  const resources = new Map<string, string[]>()
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const title = titleOf(operation)
      const sections = resources.get(title) ?? []
      resources.set(title, [...sections, operationSection(method.toUpperCase(), path, operation)])
    }
  }
  const schemas = Object.entries(document.components.schemas)
  const objects = schemas.filter(([name]) => !name.endsWith('List') && name !== 'Error')
  const codes = Object.entries(statuses).map(([code, status]) => {
    return `| [\`${code}\`](../errors.md#${code}) | ${status} |`
  })
  return [
    '---\noutline: [2, 3]\n---\n\n# Management API',
    `The REST API of the service. ${document.info.description} This page is made from the OpenAPI document that the service serves at \`/x/v1/openapi.json\`.`,
    '## API keys',
    'A request carries an API key: `Authorization: Bearer latchkey_…`. A key of one tenant reaches only that tenant. A read-only key may only send `GET` requests.',
    ...[...resources].flatMap(([title, sections]) => [`## ${title}`, ...sections]),
    '## Objects',
    ...objects.map(([name, schema]) => objectSection(name, schema)),
    '## Lists',
    'A list has the members `type`, `data` (the objects), `count` (their number), `limit` and `total`. The header `Link` has the address of the next page, with `rel="next"`.',
    '## Errors',
    'An error has the members `type` ("Error"), `uuid` (the id of the request), `code` and `status_code`. The header `latchkey-error-detail` says why in a sentence.',
    table('Code | Status', codes),
  ]
    .join('\n\n')
    .concat('\n')
}

function titleOf({ tags: [tag = ''], operationId }: Operation): string {
  const title = TITLES[tag]
  if (!title)
    throw new Error(
      `The operation ${operationId} has the tag "${tag}", which the page has no title for.`,
    )
  return title
}

function operationSection(method: string, path: string, operation: Operation): string {
  const { summary, description, parameters = [], requestBody, responses } = operation
  const body = requestBody?.content['application/json']
  const found = responses['200']
  const answer = found?.content?.['application/json']?.schema
  const rows = parameters.map(({ required = false, ...one }) => {
    return row(one.name, one.schema, required, one)
  })
  return [
    `### ${summary}`,
    `\`\`\`http\n${method} ${path}\n\`\`\``,
    ...(description ? [description] : []),
    `Operation \`${operation.operationId}\`. Permission: ${method === 'GET' ? 'any API key that reaches the tenant' : 'an API key that may write'}.`,
    ...(rows.length > 0 ? [table('Parameter |  ', rows)] : []),
    ...(body
      ? [
          `The body is JSON.${sentence(body.schema.description)}`,
          table('Member of the body |  ', membersOf(body.schema, { skipsIgnored: true })),
          ...(body.example ? [`\`\`\`json\n${JSON.stringify(body.example, null, 2)}\n\`\`\``] : []),
        ]
      : []),
    `Status 200: ${answer ? linkTo(answer) : (found?.description ?? 'no body')}. Otherwise [an error](#errors).`,
  ].join('\n\n')
}

function objectSection(name: string, schema: Schema): string {
  const kinds = schema.oneOf?.map(linkTo).join(', ')
  const members = membersOf(schema)
  const types = name === 'Event' ? eventTypesOf(schema.properties?.type ?? {}) : []
  return [
    `### ${name}`,
    ...(schema.description ? [schema.description] : []),
    ...(kinds ? [`One of: ${kinds}.`] : []),
    ...(members.length > 0 ? [table('Member |  ', members)] : []),
    ...(types.length > 0 ? ['The event types:', types.map(typeItem).join('\n')] : []),
  ].join('\n\n')
}

function typeItem(type: Schema): string {
  return `- \`${type.const}\`: ${type.description ?? ''}`
}

/** A row for each member, those of nested objects with a dot. */
function membersOf(
  { properties = {}, required = [] }: Schema,
  options: { readonly skipsIgnored?: boolean } = {},
  prefix = '',
): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const isIgnored = schema.readOnly || schema.description?.endsWith('ignored.')
    if (options.skipsIgnored && isIgnored) return []
    const ofItems = membersOf(schema.items ?? {}, options, `${prefix}${name}[].`)
    return [
      row(prefix + name, schema, required.includes(name), schema),
      ...membersOf(schema, options, `${prefix}${name}.`),
      ...ofItems,
    ]
  })
}

function row(
  name: string,
  schema: Schema,
  isRequired: boolean,
  said: { readonly in?: string; readonly description?: string | undefined },
): string {
  const facts = [
    typeOf(schema),
    ...(isRequired ? ['required'] : []),
    ...limitsOf(schema),
    ...(said.in ? [`in the ${said.in}`] : []),
  ]
  return `| \`${name}\` | ${facts.join(', ')}.${sentence(said.description)} |`
}

/** The values of an enumeration that is too long for a cell: the types of events, which have a list of their own. */
function eventTypesOf({ enum: values = [], oneOf = [] }: Schema): readonly Schema[] {
  const types = [...values.map((value) => ({ const: value })), ...oneOf]
  return types.some((one) => one.const === 'tenant.updated') ? types : []
}

function typeOf(schema: Schema): string {
  if (eventTypesOf(schema).length > 0) return 'an [event type](#event)'
  if (schema.$ref) return linkTo(schema)
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum)
    return schema.enum
      .map((one) => `\`${JSON.stringify(one).replaceAll('|', '\\|')}\``)
      .join(' or ')
  if (schema.oneOf) return schema.oneOf.map(typeOf).join(' or ')
  if (schema.items) return `array of ${typeOf(schema.items)}`
  const type = [schema.type ?? 'any value'].flat().join(' or ')
  return schema.format ? `${type} (${schema.format})` : type
}

function limitsOf({ minimum, maximum, maxLength, maxItems, ...schema }: Schema): string[] {
  const shown = schema.default !== undefined && JSON.stringify(schema.default)
  return [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`up to ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
    ...(shown ? [`default \`${shown}\``] : []),
  ]
}

function linkTo({ $ref = '', ...schema }: Schema): string {
  const name = $ref.split('/').at(-1) ?? ''
  if (name.endsWith('List')) return `[a list](#lists) of ${linkTo({ $ref: name.slice(0, -4) })}`
  return name ? `[${name}](#${name.toLowerCase()})` : typeOf({ type: 'object', ...schema })
}

function sentence(text = ''): string {
  const short = text.replace(/ There are: tenant\..*$/s, ' There are [these](#event).')
  return short && ` ${short}`.replace(/([^.!?:])$/, '$1.')
}

function table(head: string, rows: readonly string[]): string {
  // A vertical bar would end the cell, and a bare "<" or "{{" is code to the site's generator.
  const cells = rows.map((one) => one.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;'))
  return [`| ${head} |`, '| --- | --- |', ...cells].join('\n')
}
