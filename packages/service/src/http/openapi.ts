import { z } from 'zod'
import { statusOfCode } from '../domain/writes/errors.ts'
import { answerExample, bodyExamples } from './examples.ts'
import { MAX_LIMIT } from './list.ts'
import { methodOf } from './method.ts'
import { resourceSchemas } from './resource-schemas.ts'
import type { BatchRoute, QueryRoute, Route, WriteRoute } from './route.ts'

/** The OpenAPI 3.1 document of the routes. */
export function openApiDocument(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][methodOf(route.kind).toLowerCase()] = operation(route)
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Latchkey management API',
      version: '1',
      description: 'Tenants, their applications and users, and the credentials of users.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key that begins with latchkey_, or the access token of latchkey login.',
        },
      },
      schemas: { ...resourceSchemas, ...listSchemas(), Error: errorSchema },
      responses: {
        Error: {
          description: 'The request was refused or failed; latchkey-error-detail says why.',
          headers: {
            'request-id': { schema: { type: 'string' }, description: 'The same as uuid.' },
            'latchkey-error-detail': { schema: { type: 'string' } },
            'latchkey-oldest-place': {
              schema: { type: 'string' },
              description: 'With place_gone: the oldest "after" from which events can be read.',
            },
            'latchkey-outcome': {
              schema: { const: 'unknown' },
              description: 'With unavailable: the request may have been carried out.',
            },
          },
          content: json({ $ref: '#/components/schemas/Error' }),
        },
      },
    },
  }
}

function operation(route: Route): object {
  const isList = route.kind === 'list' || route.kind === 'query'
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.resource],
    parameters: [
      ...[...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...(route.kind === 'query' ? filterParameters(route) : []),
      ...(isList ? listParameters(route.kind) : []),
    ],
    ...requestBody(route),
    responses: {
      '200': {
        description: isList ? 'One page' : 'The object',
        headers: answerHeaders(route),
        content: {
          ...json(answerSchema(route), answerExample(route)),
          ...(route.kind === 'query' && allAtOnce(route)),
        },
      },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

function requestBody(route: Route): object | undefined {
  if (route.kind !== 'write' && route.kind !== 'batch') return undefined
  const schema = route.kind === 'write' ? writeSchema(route) : batchSchema(route)
  const content = json(schema, bodyExamples[route.operationId])
  return { requestBody: { required: true, content } }
}

function writeSchema({ body, choice }: WriteRoute): object {
  return choice ? { anyOf: choice.bodies.map(inputSchema) } : inputSchema(body)
}

function inputSchema(body: z.ZodObject): object {
  return z.toJSONSchema(body, { io: 'input' })
}

function batchSchema({ member, item, maxItems }: BatchRoute): object {
  return {
    type: 'object',
    required: [member],
    properties: { [member]: { type: 'array', maxItems, items: inputSchema(item) } },
  }
}

function answerSchema(route: Route): object {
  if (route.kind === 'batch') return route.answer
  if (route.kind === 'query') return partSchema(route)
  const name = route.kind === 'list' ? `${route.resource}List` : route.resource
  return { $ref: `#/components/schemas/${name}` }
}

function partSchema({ resource }: QueryRoute): object {
  const { total, ...properties } = listProperties(resource)
  return { type: 'object', required: Object.keys(properties), properties }
}

function filterParameters({ filters }: QueryRoute): object[] {
  const { properties = {} } = z.toJSONSchema(filters, { io: 'input' })
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as { description?: string }
    return { name, in: 'query', description, schema: rest }
  })
}

const listParameters = (kind: Route['kind']) => [
  {
    name: 'limit',
    in: 'query',
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: MAX_LIMIT },
  },
  {
    name: 'after',
    in: 'query',
    description:
      kind === 'list' ? 'The id of the last item seen.' : 'From the address that `Link` has.',
    schema: { type: 'string' },
  },
]

const errorSchema = {
  type: 'object',
  required: ['type', 'uuid', 'code', 'status_code'],
  properties: {
    type: { const: 'Error' },
    uuid: { type: 'string', format: 'uuid' },
    code: { enum: Object.keys(statusOfCode) },
    status_code: { enum: [...new Set(Object.values(statusOfCode))] },
  },
}

function listSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.keys(resourceSchemas).map((name) => [
      `${name}List`,
      {
        type: 'object',
        required: ['type', 'total', 'count', 'limit', 'data'],
        properties: listProperties(name),
      },
    ]),
  )
}

function listProperties(name: string): Record<string, object> {
  return {
    type: { const: 'List' },
    total: { type: 'integer', minimum: 0 },
    count: { type: 'integer', minimum: 0, maximum: MAX_LIMIT },
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT },
    data: { type: 'array', items: { $ref: `#/components/schemas/${name}` } },
  }
}

function allAtOnce({ formats = [], resource }: QueryRoute): object {
  const content = formats.map(({ lines, serialize }) => {
    const schema = serialize
      ? { description: `All of it: ${lines.head.trim()}`, type: 'string' }
      : { description: 'All of it, one object a line.', $ref: `#/components/schemas/${resource}` }
    return [lines.mediaType, { schema }]
  })
  return Object.fromEntries(content)
}

function json(schema: object, example?: object): object {
  return { 'application/json': { schema, ...(example && { example }) } }
}

function answerHeaders({ kind }: Route): object {
  const header = (description: string) => ({ description, schema: { type: 'string' } })
  const requestId = { 'request-id': header('Of the entry in the audit log and of log lines.') }
  if (kind === 'get' || kind === 'delete') return requestId
  if (kind === 'list' || kind === 'query') {
    return { ...requestId, link: header('The address of the next page, with rel="next".') }
  }
  return {
    ...requestId,
    'latchkey-ignored-fields': header('Members of the body that had no effect.'),
    'latchkey-warning': header(
      'A sentence about an effect that you may not want, such as an application without redirect URLs.',
    ),
  }
}
