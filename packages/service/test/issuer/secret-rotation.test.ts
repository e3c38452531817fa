import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  getApplication,
  rotateApplicationSecret,
} from '../../src/domain/applications/applications.ts'
import { movesTheClock, startIssuer, storeKinds, type TestIssuer } from './support/issuer.ts'
import { moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => void vi.useRealTimers())

/** Whether the application can prove itself with the secret. */
async function isAccepted(issuer: TestIssuer, secret: string): Promise<boolean> {
  const basic = Buffer.from(`${issuer.application.id}:${secret}`).toString('base64')
  const { status } = await issuer.fetch(`${issuer.url}/oidc/revoke`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'token=unknown',
  })
  return status === 200
}

describe.each(storeKinds)('on %s', (store) => {
  async function withSecret() {
    const issuer = await startIssuer({ store })
    const first = issuer.secretOf(issuer.application)
    const rotate = async (options?: { overlapSeconds: number }) => {
      const { id } = issuer.application
      return issuer.secretOf(await rotateApplicationSecret(issuer.scope, id, options))
    }
    return { issuer, first, rotate }
  }

  test('after a rotation the previous secret is accepted for a day, beside the new one', async () => {
    const { issuer, first, rotate } = await withSecret()
    await using _ = issuer
    expect(await isAccepted(issuer, first)).toBe(true)
    const second = await rotate()

    expect(second).not.toBe(first)
    expect(await isAccepted(issuer, first)).toBe(true)
    expect(await isAccepted(issuer, second)).toBe(true)
    expect(await isAccepted(issuer, `${second}x`)).toBe(false)
    // A rotation that other processes have to hear of takes a second.
    moveTime(86_390)
    expect(await isAccepted(issuer, first)).toBe(true)
    moveTime(11)
    expect(await isAccepted(issuer, first)).toBe(false)
    expect(await isAccepted(issuer, second)).toBe(true)
  })

  test('without an overlap, or after a second rotation, an earlier secret stops at once', async () => {
    const { issuer, first, rotate } = await withSecret()
    await using _ = issuer
    const second = await rotate()
    const third = await rotate()
    expect(await isAccepted(issuer, first)).toBe(false)
    expect(await isAccepted(issuer, second)).toBe(true)
    const fourth = await rotate({ overlapSeconds: 0 })
    expect(await isAccepted(issuer, second)).toBe(false)
    expect(await isAccepted(issuer, third)).toBe(false)
    expect(await isAccepted(issuer, fourth)).toBe(true)
    const { earlierSecret } = await getApplication(issuer.scope, issuer.application.id)
    expect(earlierSecret).toBeUndefined()
  })
})
