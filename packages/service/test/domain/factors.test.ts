import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { proveRecoveryCode, proveTotp, totpCredential } from '../../src/domain/factors/factors.ts'
import { newSeed, stepOf, totpUri } from '../../src/domain/factors/totp.ts'
import { resealSecrets } from '../../src/domain/keys/reseal.ts'
import { getUser } from '../../src/domain/users/users.ts'
import { addCredential } from '../../src/domain/ways/account-changes.ts'
import type { Scope } from '../../src/domain/writes/context.ts'
import { createVault, fixedKeys } from '../../src/domain/writes/vault.ts'
import { codeOf, giveRecoveryCodes } from '../issuer/support/factors.ts'
import { openApi } from '../support/context.ts'

/** The seed of RFC 6238, Appendix B: "12345678901234567890" as base32. */
const RFC_SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

// The vectors have eight digits; six are their last ones.
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at the second %i, the code of RFC 6238 is accepted as the one of its step', (seconds, code) => {
  const clock = { now: () => seconds * 1000 }
  expect(stepOf(RFC_SEED, code, clock)).toBe(Math.floor(seconds / 30))
  expect(stepOf(RFC_SEED, code, { now: () => (seconds + 90) * 1000 })).toBeUndefined()
})

test('the QR code of an app contains the issuer, the account and 160 bits of key', () => {
  const url = new URL(totpUri(newSeed(), 'Acme & Söhne', 'ada@example.com'))
  expect(url.searchParams.get('issuer')).toBe('Acme & Söhne')
  expect(decodeURIComponent(url.pathname)).toContain('Acme & Söhne:ada@example.com')
  expect(url.searchParams.get('secret')).toMatch(/^[A-Z2-7]{32}$/)
})

test('after a rotation of the master key the factors of a user work without the earlier key', async () => {
  await using api = await openApi()
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const under = (...keys: Buffer[]): Scope => ({
    ...api.scope,
    context: { ...api.context, vault: createVault(fixedKeys(keys)) },
  })
  const { id } = await api.createUser()
  const user = await getUser(api.scope, id)
  const seed = newSeed()
  const [code = ''] = await giveRecoveryCodes(under(older), user)
  const app = totpCredential(under(older), user, { seed, step: 0 })
  await addCredential(under(older), app)
  const before = (await api.get(`${api.users}/${id}/credentials`)).body

  await resealSecrets(under(newer, older).context)

  expect((await api.get(`${api.users}/${id}/credentials`)).body).toEqual(before)
  expect(await proveTotp(under(newer), id, codeOf(seed))).toBe(true)
  expect(await proveRecoveryCode(under(newer), id, code)).toBe(true)
})
