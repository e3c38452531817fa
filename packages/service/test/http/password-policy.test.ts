import { describe, expect, test } from 'vitest'
import { startApi, stores } from '../support/api.ts'

describe.each(stores)('on %s', (store) => {
  async function start(metadata?: Record<string, string>) {
    const api = await startApi(store)
    const { body: tenant } = await api.get(api.tenant)
    if (metadata) expect((await api.post(api.tenant, { ...tenant, metadata })).status).toBe(200)
    const { id } = await api.create(api.users, { profile: { email: 'ada@example.com' } })
    const credentials = `${api.users}/${id}/credentials`
    const give = (alg: string, hash: string, path = credentials) =>
      api.post(path, { type: 'PasswordCredential', password: { alg, hash } })
    return { api, tenant, credentials, give }
  }

  test('a tenant without a policy accepts every plain password that an API key gives', async () => {
    const { api, give } = await start()
    await using _ = api
    expect((await give('plain', 'x')).status).toBe(200)
  })

  test('the policy of a tenant holds for plain passwords that an API key gives, and not for hashes', async () => {
    const { api, give, credentials } = await start({ latchkey_password_min_length: '12' })
    await using _ = api
    const short = await give('plain', 'eleven char')
    expect([short.status, short.body.code]).toEqual([400, 'password_policy'])
    expect(short.headers.get('latchkey-error-detail')).toBe(
      'The password has 11 characters; the tenant asks for 12 ("latchkey_password_min_length").',
    )
    const common = await give('plain', 'password1234')
    expect([common.status, common.body.code]).toEqual([400, 'password_policy'])
    expect(common.headers.get('latchkey-error-detail')).toContain('list of leaked passwords')

    const made = await give('md5', '5f4dcc3b5aa765d61d8327deb882cf99')
    expect(made.status).toBe(200)
    const own = `${credentials}/password`
    expect((await give('plain', 'eleven char', own)).body.code).toBe('password_policy')
    expect((await give('plain', 'twelve chars', own)).status).toBe(200)
    // What was read can be sent back.
    const { body } = await api.get(own)
    expect((await api.post(own, body)).status).toBe(200)
  })

  test('an import brings the passwords that users have, whatever the policy is', async () => {
    const { api } = await start({ latchkey_password_min_length: '12' })
    await using _ = api
    const user = {
      profile: { email: 'bob@example.com' },
      password: { alg: 'plain', hash: 'short' },
    }
    const { body } = await api.post(`/x${api.users}/import`, { users: [user] })
    expect(body.data[0]).toMatchObject({ status: 'created' })
  })

  test.each([
    ['latchkey_password_min_length', '7', 'a whole number from 8 to 24'],
    ['latchkey_password_min_length', '25', 'a whole number from 8 to 24'],
    ['latchkey_password_min_length', '08', 'a whole number from 8 to 24'],
    ['latchkey_password_min_length', '', 'a whole number from 8 to 24'],
    ['latchkey_leaked_password_check', 'yes', '"true" or "false", which is the default'],
  ])('%s cannot be "%s"', async (key, value, wanted) => {
    const { api, tenant } = await start()
    await using _ = api
    const answer = await api.post(api.tenant, { ...tenant, metadata: { [key]: value } })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_metadata'])
    expect(answer.headers.get('latchkey-error-detail')).toBe(
      `"metadata.${key}" is "${value}"; it must be ${wanted}.`,
    )
  })
})
