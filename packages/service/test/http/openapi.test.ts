import SwaggerParser from '@apidevtools/swagger-parser'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { startApi } from '../support/api.ts'

test('the OpenAPI 3.1 document is accepted by a validator', async () => {
  await using api = await startApi()

  const { status, body } = await api.get('/x/v1/openapi.json')

  expect(status).toBe(200)
  expect(body.openapi).toMatch(/^3\.1\.\d$/)
  await expect(SwaggerParser.validate(body)).resolves.toBeDefined()
})

test('the validator refuses a document with a fault', async () => {
  await using api = await startApi()
  const { body } = await api.get('/x/v1/openapi.json')

  body.paths['/v1/tenants'].get.responses.default = { $ref: '#/components/responses/Nothing' }

  await expect(SwaggerParser.validate(body)).rejects.toThrow()
})

test('the document has the endpoints of the summary, those under /x/v1, and no other', async () => {
  await using api = await startApi()
  const { body } = await api.get('/x/v1/openapi.json')

  const endpoints = Object.entries<object>(body.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )

  const tenant = '/v1/tenants/{tenant_id}'
  const application = `${tenant}/applications/{application_id}`
  const user = `${tenant}/users/{user_id}`
  const credential = `${user}/credentials/{credential_id}`
  const webhook = `/x${tenant}/webhooks/{webhook_id}`
  expect(endpoints.sort()).toEqual(
    [
      'GET /v1/tenants',
      `GET ${tenant}`,
      `POST ${tenant}`,
      `POST ${tenant}/applications`,
      `GET ${tenant}/applications`,
      `GET ${application}`,
      `POST ${application}`,
      `DELETE ${application}`,
      `POST ${tenant}/users`,
      `GET ${tenant}/users`,
      `GET ${user}`,
      `POST ${user}`,
      `DELETE ${user}`,
      `GET ${user}/credentials`,
      `POST ${user}/credentials`,
      `GET ${credential}`,
      `POST ${credential}`,
      `DELETE ${credential}`,
      `GET /x${tenant}/users`,
      `GET /x${tenant}/audit`,
      `GET /x${user}/data`,
      `GET /x${user}/sessions`,
      `DELETE /x${user}/sessions`,
      `DELETE /x${user}/sessions/{session_id}`,
      `GET /x${user}/login-trouble`,
      `POST /x${user}/let-try-again`,
      `GET /x${tenant}/texts`,
      `POST /x${tenant}/texts`,
      `GET /x${tenant}/logo`,
      `POST /x${tenant}/logo`,
      `POST /x${user}/mails`,
      `GET /x${user}/grants`,
      `DELETE /x${user}/grants/{grant_id}`,
      `GET /x${application}/grants`,
      `GET /x${tenant}/programs`,
      `GET /x${tenant}/programs/{host}`,
      `GET /x${tenant}/programs/{host}/grants`,
      `POST /x${tenant}/programs/{host}/block`,
      `POST /x${tenant}/programs/{host}/unblock`,
      `GET /x${tenant}/mails`,
      `GET /x${tenant}/mails/{mail_id}`,
      `POST /x${tenant}/mails/{mail_id}/resend`,
      `GET /x${tenant}/audit/{entry_id}`,
      `POST /x${tenant}/users/import`,
      `POST /x${tenant}/users/import/preview`,
      `POST /x${tenant}/users/import/update`,
      `GET /x${tenant}/webhooks`,
      `POST /x${tenant}/webhooks`,
      `GET ${webhook}`,
      `POST ${webhook}`,
      `DELETE ${webhook}`,
      `POST ${webhook}/rotate`,
      `POST ${webhook}/test`,
      `POST ${webhook}/replay`,
      `GET ${webhook}/deliveries`,
      `POST ${webhook}/deliveries/{delivery_id}/resend`,
      `GET /x${tenant}/events`,
    ].sort(),
  )
})

test('every operation has an id of its own, asks for a key and documents the Error', async () => {
  await using api = await startApi()
  const { body } = await api.get('/x/v1/openapi.json')
  // biome-ignore lint/suspicious/noExplicitAny: the document is walked as plain JSON
  const operations: any[] = Object.values<object>(body.paths).flatMap(Object.values)

  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  expect(body.security).toEqual([{ apiKey: [] }])
  expect(body.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' })
  for (const { responses } of operations) {
    expect(responses.default).toEqual({ $ref: '#/components/responses/Error' })
  }
})

test('every operation has an example of its answer, and of its body, which its schema accepts', async () => {
  await using api = await startApi()
  const { body } = await api.get('/x/v1/openapi.json')
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(body, 'openapi')
  const check = (pointer: string, example: unknown) => {
    const validate = ajv.getSchema(`openapi${encodeURI(`${pointer}/schema`)}`) as ValidateFunction
    expect(example, pointer).toBeDefined()
    expect(validate(example) || validate.errors, pointer).toBe(true)
  }

  for (const [path, operations] of Object.entries<object>(body.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const at = `#/paths/${path.replaceAll('/', '~1')}/${method}`
      const json = 'content/application~1json'
      const answer = operation.responses['200'].content['application/json']
      check(`${at}/responses/200/${json}`, answer.example)
      const { requestBody } = operation
      if (requestBody)
        check(`${at}/requestBody/${json}`, requestBody.content['application/json'].example)
    }
  }
})

test('the bodies of the examples are accepted by the service', async () => {
  await using api = await startApi()
  const { body } = await api.get('/x/v1/openapi.json')
  const send = async (path: string, ids: Readonly<Record<string, string>> = {}) => {
    const { example } = body.paths[path].post.requestBody.content['application/json']
    const all: Readonly<Record<string, string>> = { tenant_id: api.tenantId, ...ids }
    const answer = await api.post(
      path.replace(/\{(\w+)\}/g, (_, name) => all[name] ?? ''),
      example,
    )
    expect(answer.status, path).toBe(200)
    return answer.body.id as string
  }
  const tenant = '/v1/tenants/{tenant_id}'
  const user = `${tenant}/users/{user_id}`

  await send(tenant)
  await send(`/x${tenant}/texts`)
  await send(`/x${tenant}/logo`)
  const application_id = await send(`${tenant}/applications`)
  await send(`${tenant}/applications/{application_id}`, { application_id })
  const user_id = await send(`${tenant}/users`)
  await send(`${user}/credentials`, { user_id })
  await send(`${user}/credentials/{credential_id}`, { user_id, credential_id: 'password' })
  const mail_id = await send(`/x${user}/mails`, { user_id })
  await send(`/x${tenant}/mails/{mail_id}/resend`, { mail_id })
  await send(`/x${user}/let-try-again`, { user_id })
  await send(user, { user_id })
  await send(`/x${tenant}/users/import`)
  await send(`/x${tenant}/users/import/preview`)
  await send(`/x${tenant}/users/import/update`)
})

test('the algorithms of passwords are an enumeration: those of an import, of an update and of an answer', async () => {
  await using api = await startApi()
  const { body } = await api.get('/x/v1/openapi.json')
  const credentials = body.paths['/v1/tenants/{tenant_id}/users/{user_id}/credentials']
  const credential =
    body.paths['/v1/tenants/{tenant_id}/users/{user_id}/credentials/{credential_id}']
  const schemaOf = (operation: typeof body) =>
    operation.requestBody.content['application/json'].schema
  const imported = ['bcrypt', 'plain', 'md5', 'sha1', 'sha256', 'sha512']
  const stored = ['bcrypt', 'md5|bcrypt', 'sha1|bcrypt', 'sha256|bcrypt', 'sha512|bcrypt']

  expect(schemaOf(credentials.post).properties.password.properties.alg.enum).toEqual(imported)
  const [password] = schemaOf(credential.post).anyOf
  expect(new Set(password.properties.password.properties.alg.enum)).toEqual(
    new Set([...imported, ...stored]),
  )
  const { PasswordCredential } = body.components.schemas
  expect(PasswordCredential.properties.password.properties.alg.enum).toEqual(stored)
})

test('the headers of an answer are documented', async () => {
  await using api = await startApi()
  const { body } = await api.get('/x/v1/openapi.json')
  const { get, post } = body.paths['/v1/tenants/{tenant_id}/applications']

  for (const operation of [get, post]) {
    expect(Object.keys(operation.responses['200'].headers)).toContain('request-id')
  }
  expect(get.responses['200'].headers.link).toBeDefined()
  expect(post.responses['200'].headers).toMatchObject({
    'latchkey-warning': { description: expect.any(String) },
    'latchkey-ignored-fields': { description: expect.any(String) },
  })
})
