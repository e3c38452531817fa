import { expect, test, vi } from 'vitest'
import { type Answer, type Api, startApi } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

const md5 = '5f4dcc3b5aa765d61d8327deb882cf99'
const bcrypt = '$2b$08$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'

async function credential(api: Api, alg: string, hash: string): Promise<Answer> {
  const user = await api.createUser()
  return api.post(`${api.users}/${user.id}/credentials`, { password: { alg, hash } })
}

/** Every code, its status, and a request that is refused with it. */
const refusals: [code: string, status: number, request: (api: Api) => Promise<Answer>][] = [
  ['invalid_json', 400, (api) => api.post(api.users, '{"profile":')],
  ['invalid_request', 400, (api) => api.post(api.users, { disabled: 'yes', profile: {} })],
  ['invalid_metadata', 400, (api) => api.post(api.applications, { metadata: { n: 1 } })],
  ['invalid_url', 400, (api) => api.post(api.applications, { login_url: 'app.example.com' })],
  ['invalid_email', 400, (api) => api.post(api.users, { profile: { email: 'ada' } })],
  ['invalid_hash', 400, (api) => credential(api, 'md5', md5.slice(1))],
  ['unsupported_algorithm', 400, (api) => credential(api, 'md4', md5)],
  ['bcrypt_cost_out_of_range', 400, (api) => credential(api, 'bcrypt', bcrypt.replace('08', '04'))],
  ['password_policy', 400, (api) => credential(api, 'plain', '')],
  ['authentication_failure', 401, (api) => api.get(api.users, { authorization: 'Bearer x' })],
  ['not_found', 404, (api) => api.get(`${api.users}/usr_0`)],
  ['method_not_allowed', 405, (api) => api.call('PUT', api.users)],
  [
    'already_exists',
    409,
    async (api) => {
      const { profile } = await api.createUser()
      return api.post(api.users, { profile })
    },
  ],
  [
    'conflict',
    409,
    async (api) => {
      const user = await api.createUser()
      const path = `${api.users}/${user.id}/credentials`
      await api.create(path, { password: { alg: 'bcrypt', hash: bcrypt } })
      return api.post(`${path}/password`, { password: { alg: 'md5|bcrypt', hash: bcrypt } })
    },
  ],
  ['request_too_large', 413, (api) => api.post(api.users, { name: 'x'.repeat(300_000) })],
  [
    'unsupported_media_type',
    415,
    (api) => api.post(api.users, 'a=b', { 'content-type': 'text/x' }),
  ],
]

test.each(refusals)(
  'the error %s has status %i and exactly the documented body',
  async (code, status, request) => {
    await using api = await startApi()

    expectError(await request(api), status, code)
  },
)

test('rate_limited comes with status 429', async () => {
  await using api = await startApi('memory', { requestsPerSecond: 1 })

  const answers = await Promise.all(Array.from({ length: 20 }, () => api.get(api.users)))

  const refused = answers.filter(({ status }) => status !== 200)
  for (const answer of refused) expectError(answer, 429, 'rate_limited')
  expect(refused).not.toEqual([])
})

test('unavailable comes with status 503 and retry-after when too many passwords wait for their hash', async () => {
  await using api = await startApi('memory', { passwords: { concurrency: 1, maxWaiting: 1 } })

  const answers = await Promise.all(
    Array.from({ length: 6 }, () => credential(api, 'plain', 'correct horse')),
  )

  const refused = answers.filter(({ status }) => status !== 200)
  for (const answer of refused) {
    expectError(answer, 503, 'unavailable')
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  }
  expect(refused).not.toEqual([])
})

test('internal_error has status 500 and reveals nothing about the cause', async () => {
  let isBroken = false
  const clock = {
    now: () => {
      if (isBroken) throw new Error('the secret of the clock')
      return Date.now()
    },
  }
  await using api = await startApi('memory', { clock })
  isBroken = true

  const answer = await api.get(api.users)

  expectError(answer, 500, 'internal_error')
  expect(answer.headers.get('latchkey-error-detail')).not.toContain('clock')
})

test('every response has its own request id, also a successful one', async () => {
  await using api = await startApi()

  const ids = [
    (await api.get(api.users)).headers.get('request-id'),
    (await api.get(api.users)).headers.get('request-id'),
    (await api.get('/v1/nothing')).headers.get('request-id'),
  ]

  expect(new Set(ids).size).toBe(3)
  expect(ids).not.toContain(null)
})

test('the audit log finds a refused write by the uuid of its answer', async () => {
  await using api = await startApi()
  const { profile } = await api.createUser()

  const { body } = await api.post(api.users, { profile })

  // The answer does not wait for the entry.
  await vi.waitFor(async () =>
    expect(await api.service.admin.audit({ requestId: body.uuid })).toMatchObject([
      { action: 'already_exists', tenantId: api.tenantId, requestId: body.uuid },
    ]),
  )
})

test('the audit log finds a write by the request-id of its answer', async () => {
  await using api = await startApi()

  const { headers, body } = await api.post(api.users, { profile: { email: 'ada@example.com' } })

  const requestId = headers.get('request-id') as string
  expect(await api.service.admin.audit({ requestId })).toMatchObject([
    { action: 'user.create', target: body.id },
  ])
})

test('the detail of an error holds no password and no hash', async () => {
  await using api = await startApi()
  const secrets: [alg: string, hash: string][] = [
    ['plain', `${'hunter2'.repeat(11)}`],
    ['plain', 'hunter2\0'],
    ['md5', 'hunter2'],
    ['bcrypt', 'hunter2'],
    ['hunter2', 'hunter2'],
    ['bcrypt', bcrypt.replace('08', '13')],
  ]
  for (const [alg, hash] of secrets) {
    const { status, headers } = await credential(api, alg, hash)

    expect(status).toBe(400)
    expect(headers.get('latchkey-error-detail')).not.toMatch(/hunter2|7yor3i90/)
  }
})

test('the detail of an error stays in one line of printable ASCII', async () => {
  await using api = await startApi()

  const answer = await api.post(api.applications, {
    metadata: { 'ä\r\nset-cookie: a=b': 'x'.repeat(1_001) },
  })

  expectError(answer, 400, 'invalid_metadata')
  expect(answer.headers.get('set-cookie')).toBeNull()
})
