import { expect } from 'vitest'
import type { Answer } from './api.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Expects the documented body and nothing more, the id of the request and a sentence for people. */
export function expectError(answer: Answer, status: number, code: string): void {
  expect(answer.body).toEqual({
    type: 'Error',
    uuid: expect.stringMatching(UUID),
    code,
    status_code: status,
  })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('request-id')).toBe(answer.body.uuid)
  expect(answer.headers.get('latchkey-error-detail')).toMatch(/^[\x20-\x7e]{10,500}$/)
}

/** All of an answer that may not tell two refusals apart. */
export function withoutRequest({ status, headers, body }: Answer): object {
  const { uuid: _, ...rest } = body
  const perRequest = ['request-id', 'date']
  return {
    status,
    headers: [...headers].filter(([name]) => !perRequest.includes(name)),
    body: rest,
  }
}
