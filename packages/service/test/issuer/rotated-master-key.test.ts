import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { resealSecrets } from '../../src/domain/keys/reseal.ts'
import { createVault, fixedKeys } from '../../src/domain/writes/vault.ts'
import { resealMail } from '../../src/mail/outbox.ts'
import { clusterKey } from '../support/cluster.ts'
import { logIn } from './support/client.ts'
import {
  addApp,
  addMail,
  codeOf,
  hasCode,
  MFA,
  mailedCode,
  seedOn,
  startWithFactors,
} from './support/factors.ts'
import { storeKinds, type TestIssuer } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

/** Rotates the master key as the service does, and restarts it with the newest key alone. */
async function rotate({ domain, protocol }: TestIssuer): Promise<void> {
  const newer = randomBytes(32)
  const vault = createVault(fixedKeys([newer, clusterKey]))
  Object.assign(domain, { vault })
  await resealSecrets(domain)
  await protocol.mail.reseal((id, sealed) => resealMail(vault, id, sealed))
  Object.assign(domain, { vault: createVault(newer) })
}

// One process rotates here; others would keep their key.
const alone = storeKinds.filter((kind) => kind !== 'cluster')

describe.each(alone)('after a rotation of the master key on %s', (store) => {
  test('a login that waits for its second step goes on', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada)

    await rotate(issuer)

    expect(hasCode(await browser.submit(callback, { code: codeOf(seed) }))).toBe(true)
    expect(issuer.problems).toEqual([])
  })

  test('a code that was mailed before has expired, and another one is sent', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    await addMail(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada)
    const form = await browser.submit(callback, { step: 'send' })
    const code = await mailedCode(issuer)

    await rotate(issuer)

    const expired = await browser.submit(form, { code })
    expect(expired.status).toBe(422)
    expect(expired.html).toContain('has expired')
    expect(hasCode(await browser.submit(expired, { code: await mailedCode(issuer) }))).toBe(true)
    expect(issuer.problems).toEqual([])
  })

  test('an authenticator app that was being added is added with another key', async () => {
    const { issuer, app } = await startWithFactors({ store })
    await using _ = issuer
    const asked = { acr_values: MFA }
    const { browser, callback } = await logIn(issuer, app, ada, undefined, asked)
    const before = seedOn(callback)

    await rotate(issuer)

    const form = await browser.submit(callback, { code: codeOf(before) })
    expect(form.status).toBe(422)
    expect(seedOn(form)).not.toBe(before)
    const codes = await browser.submit(form, { code: codeOf(seedOn(form)) })
    expect(hasCode(await browser.submit(codes, { step: 'continue' }))).toBe(true)
    expect(issuer.problems).toEqual([])
  })
})

test('secrets that are sealed under the newest master key are not written again', async () => {
  const { issuer, user } = await startWithFactors({ store: 'sqlite' })
  await using _ = issuer
  await addApp(issuer, user)
  await rotate(issuer)
  const before = await issuer.actions()
  expect(before).toContain('credential.reseal')

  await resealSecrets(issuer.domain)

  expect(await issuer.actions()).toEqual(before)
})
