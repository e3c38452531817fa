import { describe, expect, test } from 'vitest'
import { startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

describe.each(stores)('on %s', (store) => {
  test('addresses with domains that are equal in the DNS are one address', async () => {
    await using api = await startApi(store)
    await api.createUser('ada@example.com')
    await api.createUser('zoë@exämple.com')

    for (const email of [
      'ada@ｅxample.com',
      'ada@example。com',
      'ADA@ＥＸＡＭＰＬＥ．ＣＯＭ',
      'zoë@xn--exmple-cua.com',
      'ZOË@EXÄMPLE.COM',
      'zoë@exa\u0308mple.com',
    ]) {
      expectError(await api.post(api.users, { profile: { email } }), 409, 'already_exists')
    }
    expect((await api.get(api.users)).body.total).toBe(2)
  })

  test('an address that is not in canonical form is stored as it was sent', async () => {
    await using api = await startApi(store)

    const user = await api.createUser('ada@Ｅxample。com')

    expect(user.profile.email).toBe('ada@Ｅxample。com')
    expect((await api.post(`${api.users}/${user.id}`, user)).body.profile).toEqual(user.profile)
  })

  test('a user cannot change to an address with invisible characters', async () => {
    await using api = await startApi(store)
    const user = await api.createUser('ada@example.com')

    const answer = await api.post(`${api.users}/${user.id}`, {
      profile: { email: 'ada@exa\u200bmple.com' },
    })

    expectError(answer, 400, 'invalid_email')
    expect((await api.get(`${api.users}/${user.id}`)).body).toEqual(user)
  })
})

test.each([
  ['a zero-width space in the domain', 'ada@exa\u200bmple.com'],
  ['a zero-width space in the local part', 'a\u200bda@example.com'],
  ['a soft hyphen in the domain', 'ada@exam\u00adple.com'],
  ['a joiner where no script joins', 'ada@exam\u200dple.com'],
  ['a byte order mark', 'ada\ufeff@example.com'],
  ['a tag character', 'ada\u{e0041}@example.com'],
  ['a character that changes the direction', 'ada@ex\u202eample.com'],
  ['percent-encoding in the domain', 'ada@exa%6dple.com'],
  ['a domain that is a number', 'ada@2130706433'],
  ['an IPv4 address', 'ada@127.0.0.1'],
  ['a domain that ends in a full stop', 'ada@example.com。'],
  ['two full stops of different scripts', 'ada@example.。com'],
])('an address with %s is refused', async (_, email) => {
  await using api = await startApi()

  expectError(await api.post(api.users, { profile: { email } }), 400, 'invalid_email')
})

test.each(['ada@straße.de', 'نام@نامه\u200cای.com', 'ada@my_host.example', 'ada@localhost'])(
  '%s is still an email address',
  async (email) => {
    await using api = await startApi()

    expect((await api.createUser(email)).profile.email).toBe(email)
  },
)
