import { describe, expect, test } from 'vitest'
import { connectAccount } from '../../src/domain/factors/social.ts'
import { allStoreKinds, startIssuer } from './support/issuer.ts'

describe.each(allStoreKinds)('on %s', (store) => {
  test('of several accounts at one provider that are connected in parallel, a user gets at most one', async () => {
    await using issuer = await startIssuer({ store })
    const { scope, domain, tenant } = issuer
    for (let round = 0; round < 20; round++) {
      const email = `reader-${round}@example.com`
      const user = await issuer.addUser({ email })
      const account = (subject: string) => ({
        ...{ connectionId: 'con_1', issuer: 'https://login.example', email },
        subject: `${round} ${subject}`,
      })

      const all = ['first', 'second', 'third'].map((one) =>
        connectAccount(scope, user, account(one)),
      )
      const done = (await Promise.all(all)).filter(Boolean).length

      const page = { after: undefined, limit: 100 }
      const listed = await domain.store.credentials.list(tenant.id, user.id, page)
      expect(listed?.items.length).toBe(done)
      expect(done).toBeLessThanOrEqual(1)
      // One that comes alone after that is connected, or finds the other.
      const last = await connectAccount(scope, user, account('last'))
      expect(Number(last) + done).toBe(1)
    }
  })
})
