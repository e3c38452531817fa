import { logIn, type NewUser, startIdentity } from '@latchkey/testing'
import { expect, test } from 'vitest'
import { createApp } from './support/app.ts'

test.each<[object, string]>([
  [{ domian: 'login.test' }, '"domian" is not an option. Did you mean "domain"?'],
  [{ listen: 3000 }, '"listen" must be true or false, not 3000.'],
])('an identity is not started with what it would ignore: %o', async (options, sentence) => {
  await expect(startIdentity(options)).rejects.toThrow(sentence)
})

test.each<[object, string]>([
  [{ mail: 'ada@example.com' }, '"mail" is not an option.'],
  [
    { family_name: 'Lovelace' },
    '"family_name" is not an option. It is "profile.family_name" here.',
  ],
  [{ roles: ['admin'] }, '"roles" is not an option. It is "claims.roles" here.'],
  [
    { claims: { sub: 'x' } },
    '"claims" must be an object of claims that the identity does not make',
  ],
  [{ claims: { email: 'x' } }, '"claims" must be an object of claims that the identity does not'],
  [{ verified: 'yes' }, '"verified" must be true or false, not this string.'],
])('a user is not created with what would be ignored: %o', async (user, sentence) => {
  await using identity = await startIdentity()

  await expect(identity.createUser(user as NewUser)).rejects.toThrow(sentence)
})

test('an option of logIn that is misspelt is refused', async () => {
  await using identity = await startIdentity()
  const app = createApp(identity.clientOptions())
  const options = { loginpath: '/auth' } as object

  await expect(logIn(app, await identity.createUser(), options)).rejects.toThrow(
    'Did you mean "loginPath"?',
  )
})
