import SwaggerParser from '@apidevtools/swagger-parser'
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
      `GET /x${user}/sessions`,
      `DELETE /x${user}/sessions`,
      `DELETE /x${user}/sessions/{session_id}`,
      `GET /x${user}/login-trouble`,
      `POST /x${user}/let-try-again`,
      `POST /x${user}/mails`,
      `GET /x${tenant}/mails`,
      `GET /x${tenant}/mails/{mail_id}`,
      `POST /x${tenant}/mails/{mail_id}/resend`,
      `GET /x${tenant}/audit/{entry_id}`,
      `POST /x${tenant}/users/import`,
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
