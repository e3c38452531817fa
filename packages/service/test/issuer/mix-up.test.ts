import { describe, expect, test } from 'vitest'
import { startMisbehavingProvider } from '../../../testing/src/misbehaving-provider.ts'
import { updateConnection } from '../../src/domain/connections/connections.ts'
import { findUser } from '../../src/domain/users/users.ts'
import { hasCode } from './support/factors.ts'
import { type StoreKind, storeKinds } from './support/issuer.ts'
import { answerOf, connect, noteOf, startWithProvider } from './support/social.ts'

// The mix-up attack (RFC 9700 §4.4): a malicious provider of the tenant sends a visitor on to an
// honest one, to get the honest provider's code.

const WITHOUT_ISS = { authorization_response_iss_parameter_supported: false }

const ada = { sub: 'ada-there', email: 'ada@example.com', email_verified: true }

/** A tenant with two providers, neither of which names itself in its answers. */
async function startTenant(store: StoreKind) {
  await using all = new AsyncDisposableStack()
  const world = all.use(await startWithProvider({ store }, { trustEmail: true }))
  const malicious = all.use(await startMisbehavingProvider())
  for (const provider of [world.provider, malicious]) {
    provider.metadata = WITHOUT_ISS
    provider.fault = 'iss missing'
  }
  world.provider.user = ada
  const second = await connect(world.issuer, malicious, { name: 'Mallory' })
  const owned = all.move()
  return {
    ...world,
    malicious,
    /** Begins a login in a new browser, and returns the address to which a provider gets it. */
    async begin(by: 'honest' | 'malicious') {
      const { browser, begun, form } = await world.open()
      const { id } = by === 'honest' ? world.connection : second
      const sent = await browser.submit(form, { connection: id })
      return { browser, begun, sent: new URL(sent.location ?? '') }
    },
    /** Lets connections use the redirect URI of earlier versions. */
    async share(shares: { honest?: boolean; malicious?: boolean }) {
      const old = { ownCallback: false }
      const { scope } = world.issuer
      if (shares.honest) await updateConnection(scope, world.connection.id, old)
      if (shares.malicious) await updateConnection(scope, second.id, old)
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  }
}

describe.each(storeKinds)('on %s', (store) => {
  test.each([
    { title: 'that have redirect URIs of their own', shares: {} },
    { title: 'of which the honest one is of an earlier version', shares: { honest: true } },
    { title: 'of which the malicious one is of an earlier version', shares: { malicious: true } },
  ])(
    'a malicious provider never gets the code of another, with connections $title',
    async ({ shares }) => {
      await using tenant = await startTenant(store)
      const { provider, malicious, issuer } = tenant
      await tenant.share(shares)

      // A login of the attacker, who reads what the honest provider is asked for.
      const attacker = await tenant.begin('honest')
      // A victim who chooses the malicious provider, which sends the browser on to the honest one.
      const victim = await tenant.begin('malicious')
      const asked = new URLSearchParams(attacker.sent.searchParams)
      asked.set('state', victim.sent.searchParams.get('state') ?? '')
      const location = `${provider.issuer}${attacker.sent.pathname}?${asked}`
      const refused = await victim.browser.get(await answerOf({ location, html: '' }))

      const [stolen] = malicious.requests.map(({ body }) => body.get('code')).filter(Boolean)
      // With the code, the attacker would end the own login as the victim.
      const back = `${asked.get('redirect_uri')}?code=${stolen}&state=${attacker.sent.searchParams.get('state')}`
      const taken = await attacker.browser.get(back)
      expect(hasCode(taken)).toBe(false)
      expect(await findUser(issuer.scope, ada.email)).toBeUndefined()
      expect(stolen).toBeUndefined()
      expect(provider.count('/auth')).toBe(1)
      expect(noteOf(refused)).toContain('Mallory')
      expect(tenant.warnings).toContainEqual(
        expect.objectContaining({
          issuer: malicious.issuer,
          problem: 'failed',
          reason: expect.stringContaining('The response arrived at /social/'),
        }),
      )
    },
  )

  test('each provider has a redirect URI of its own, and none of them is below another', async () => {
    await using tenant = await startTenant(store)
    const at = async (by: 'honest' | 'malicious') =>
      (await tenant.begin(by)).sent.searchParams.get('redirect_uri') ?? ''

    const all = [await at('honest'), await at('malicious')]
    expect(all[0]).not.toBe(all[1])
    // GitHub accepts every path below a registered one.
    for (const one of all) {
      expect(one).toMatch(/\/social\/[\da-f]{24}\/callback$/)
      expect(one.startsWith(`${tenant.issuer.url}/social/callback`)).toBe(false)
    }
    await tenant.share({ honest: true, malicious: true })
    const shared = `${tenant.issuer.url}/social/callback`
    expect([await at('honest'), await at('malicious')]).toEqual([shared, shared])
  })

  test('a connection of an earlier version works at the shared redirect URI, and at its own once it is switched', async () => {
    await using tenant = await startTenant(store)
    const { connection, issuer } = tenant
    await tenant.share({ honest: true })
    const earlier = await tenant.begin('honest')
    const answer = await answerOf({ location: earlier.sent.href, html: '' })

    await updateConnection(issuer.scope, connection.id, { ownCallback: true })
    // A login that began before the switch ends where its provider sent it.
    expect(hasCode(await earlier.browser.get(answer))).toBe(true)
    const { browser, form } = await tenant.open()
    expect(hasCode(await tenant.logInBy(browser, form))).toBe(true)
  })
})
