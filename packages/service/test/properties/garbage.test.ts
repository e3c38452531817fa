import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Answer, type Api, type StoreName, startApi } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

const runs: [store: StoreName, numRuns: number][] = [
  ['memory', 300],
  ['SQLite', 60],
]

/** The answer is a success, or a refusal with the documented body; never a failure of the service. */
function expectNoFailure(answer: Answer): void {
  expect(answer.status).toBeLessThan(500)
  if (answer.status === 200) return
  expectError(answer, answer.status, answer.body.code)
}

/** Bodies that are nearly right: known members with whatever value. */
const nearly = fc.record(
  {
    type: fc.jsonValue(),
    id: fc.jsonValue(),
    name: fc.jsonValue(),
    metadata: fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.string({ unit: 'binary' }))),
    disabled: fc.jsonValue(),
    verified_at: fc.oneof(
      fc.jsonValue(),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.constantFrom('0000-00-00T00:00:00Z', '9999-12-31T23:59:60Z', '2026-02-30T25:61:61+99:99'),
    ),
    login_url: fc.oneof(fc.jsonValue(), fc.webUrl(), fc.string({ unit: 'binary' })),
    logout_urls: fc.oneof(fc.jsonValue(), fc.array(fc.webUrl())),
    redirect_urls: fc.oneof(fc.jsonValue(), fc.array(fc.string())),
    settings: fc.oneof(
      fc.jsonValue(),
      fc.record({
        domain: fc.oneof(fc.domain(), fc.string()),
        company_name: fc.string({ unit: 'binary' }),
        remember_device_seconds: fc.double(),
        allow_social: fc.jsonValue(),
      }),
    ),
    profile: fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.record({
        email: fc.oneof(fc.emailAddress(), fc.string({ unit: 'binary' })),
        email_verified: fc.boolean(),
        name: fc.string({ unit: 'binary' }),
      }),
    ),
    password: fc.oneof(
      fc.jsonValue(),
      fc.record({
        alg: fc.constantFrom('bcrypt', 'md5', 'sha1', 'sha512', 'md5|bcrypt', '|', '__proto__'),
        hash: fc.string({ unit: 'binary' }),
      }),
    ),
  },
  { requiredKeys: [] },
)

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.json(),
  fc.string({ unit: 'binary' }),
  nearly.map((body) => JSON.stringify(body)),
)

/** Every address that takes a body. */
async function addresses(api: Api): Promise<string[]> {
  const user = `${api.users}/${(await api.createUser()).id}`
  const { id } = await api.create(api.applications, {})
  const hash = '$2b$10$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'
  await api.create(`${user}/credentials`, { password: { alg: 'bcrypt', hash } })
  return [
    api.tenant,
    api.applications,
    `${api.applications}/${id}`,
    api.users,
    user,
    `${user}/credentials`,
    `${user}/credentials/password`,
  ]
}

describe.each(runs)('on %s', (store, numRuns) => {
  test('no body makes the service fail', async () => {
    await using api = await startApi(store)
    const paths = await addresses(api)

    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), bytes, async (path, body) => {
        expectNoFailure(await api.post(path, body))
      }),
      { numRuns },
    )
  })

  test('no path makes the service fail', async () => {
    await using api = await startApi(store)
    const segment = fc.oneof(
      fc.constantFrom('v1', 'tenants', api.tenantId, 'users', 'applications', 'credentials', '..'),
      fc.webSegment(),
      fc.uint8Array({ maxLength: 5 }).map((raw) => {
        return [...raw].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
      }),
    )
    const method = fc.constantFrom('GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS')
    const path = fc
      .tuple(fc.boolean(), fc.array(segment, { maxLength: 6 }), fc.webQueryParameters())
      .map(([isBelow, parts, query]) => {
        return `${isBelow ? api.tenant : ''}/${parts.join('/')}?${query}`
      })

    await fc.assert(
      fc.asyncProperty(method, path, async (verb, address) => {
        // A URL resolves dot segments, so the address may be one of the pages outside the API.
        const { pathname } = new URL(`https://api.example${address}`)
        fc.pre(pathname.startsWith('/v1'))
        expectNoFailure(await api.call(verb, address))
      }),
      { numRuns },
    )
  })

  test('no header makes the service fail', async () => {
    await using api = await startApi(store)
    const value = fc.oneof(
      fc.string(),
      fc.string({ maxLength: 2_000 }),
      fc.constantFrom('gzip', 'br', 'identity', 'gzip, gzip', 'application/json; charset=', ';'),
    )
    const headers = fc.dictionary(
      fc.constantFrom('authorization', 'accept', 'content-type', 'content-encoding', 'x-other'),
      value,
    )

    await fc.assert(
      fc.asyncProperty(headers, async (given) => {
        expectNoFailure(await api.post(api.users, '{"profile":{}}', given))
        expectNoFailure(await api.get(api.users, given))
      }),
      { numRuns },
    )
  })
})
