import { expect, test } from 'vitest'
import type { ResolvedAuthOptions } from '../src/options/options.ts'
import type { AuthSession } from '../src/session/session.ts'
import { sessionUser } from '../src/session/session-user.ts'

const options = { now: () => 1_800_000_000 } as ResolvedAuthOptions

type Claims = Readonly<Record<string, unknown>>

/** The user of a login whose ID token has these claims. */
async function userOf(idToken: Claims): Promise<Claims> {
  return (await sessionUser(options, { idToken: { sub: 'ada', ...idToken } })).user
}

test.each(['email_verified', 'phone_number_verified'])(
  '"%s" is a boolean, also from a text, and any other value is none',
  async (name) => {
    const seen: unknown[] = []
    for (const value of [true, 'true', false, 'false', 'yes', 'TRUE', 1, {}, null, '']) {
      seen.push((await userOf({ [name]: value }))[name])
    }
    expect(seen).toEqual([true, true, false, false, ...Array(6).fill(undefined)])
  },
)

test.each([null, ''])('a claim that is %j is no claim of the user', async (name) => {
  expect(await userOf({ name })).toEqual({ sub: 'ada' })
})

test.each([
  ['email', 'email_verified'],
  ['phone_number', 'phone_number_verified'],
])('a refresh that brings another "%s" leaves "%s" of the one before out', async (about, name) => {
  // As a hook of the application has added it: the provider said nothing of it.
  const user = { sub: 'ada', [about]: 'old', [name]: true }
  const previous = { user, providerClaims: ['sub', 'name'] } as unknown as AuthSession
  const renewed = (value: string) =>
    sessionUser(options, { idToken: { sub: 'ada', name: 'Ada', [about]: value } }, previous)
  expect((await renewed('old')).user).toEqual({ ...user, name: 'Ada' })
  expect((await renewed('new')).user).toEqual({ sub: 'ada', name: 'Ada', [about]: 'new' })
})

const sub = 'ada'
/** The user of a session after a read of userinfo that has these claims. */
async function afterUserinfo(userinfo: Claims, session: Partial<AuthSession>): Promise<Claims> {
  const read = { userinfo: { sub, ...userinfo } }
  return (await sessionUser(options, read, session as AuthSession)).user
}

test('a session of an earlier release, which does not know the claims of userinfo, follows userinfo', async () => {
  const user = { sub, name: 'Ada', roles: ['admin'], plan: 'gold' }
  const providerClaims = ['sub', 'name', 'roles']
  const read = { user, providerClaims, userReadAt: 1 }
  expect(await afterUserinfo({ name: 'Ada' }, read)).toEqual({ sub, name: 'Ada', plan: 'gold' })
  const neverRead = { user, providerClaims }
  expect(await afterUserinfo({ name: 'Ada L.' }, neverRead)).toEqual({ ...user, name: 'Ada L.' })
})

test('an adopted session without an ID token follows userinfo', async () => {
  const { user, providerClaims } = await sessionUser(options, { idToken: { sub, roles: ['a'] } })
  expect(await afterUserinfo({}, { user, providerClaims, adopted: true })).toEqual({ sub })
})

test('a claim that the latest ID token has and the userinfo beside it lacks is one of the ID token', async () => {
  const first = await sessionUser(options, { userinfo: { sub, roles: ['admin'] } })
  const both = { idToken: { sub, roles: ['reader'] }, userinfo: { sub } }
  const later = await sessionUser(options, both, first as AuthSession)
  expect(await afterUserinfo({}, later)).toEqual({ sub, roles: ['reader'] })
})
