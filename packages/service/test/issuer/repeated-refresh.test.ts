import { fetchUserInfo, refreshTokenGrant } from 'openid-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { updateApplication } from '../../src/domain/applications/applications.ts'
import { endAllSessions } from '../../src/domain/users/accounts.ts'
import { setDisabled } from '../../src/domain/users/users.ts'
import { notes, tokensFor } from './support/apis.ts'
import { createClient } from './support/client.ts'
import { movesTheClock, startIssuer, storeKinds } from './support/issuer.ts'
import { spendTogether } from './support/spend-together.ts'
import { ada, moveTime, obtainCode, post } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

/** A login with offline access, and a function that refreshes it. */
async function aLogin(
  store: (typeof storeKinds)[number],
  more: Parameters<typeof startIssuer>[0] = {},
) {
  const issuer = await startIssuer({ store, ...more })
  const user = await issuer.addUser(ada)
  const { app, form } = await obtainCode(issuer, { scope: 'openid email offline_access' })
  const { body: tokens } = await post(issuer, issuer.application, 'token', form)
  const refresh = (
    token = '',
    extra: Record<string, string> = {},
    application = issuer.application,
  ) => {
    const question = { grant_type: 'refresh_token', refresh_token: token, ...extra }
    return post(issuer, application, 'token', question)
  }
  const readUser = (token = '') => fetchUserInfo(app.config, token, user.id)
  return { issuer, user, tokens, refresh, readUser }
}

describe.each(storeKinds)('on %s', (store) => {
  test('a refresh whose response was lost is repeated within 30 seconds, with the same tokens', async () => {
    const { issuer, tokens, refresh, readUser } = await aLogin(store)
    await using _ = issuer
    const first = await refresh(tokens.refresh_token)
    moveTime(29)

    const repeated = await refresh(tokens.refresh_token)

    expect(repeated).toEqual(first)
    expect(await readUser(repeated.body.access_token)).toMatchObject({ email: ada.email })
    expect((await refresh(repeated.body.refresh_token)).status).toBe(200)
  })

  test('parallel refreshes with one token all get the same successor', async () => {
    const { issuer, tokens, refresh } = await aLogin(store, {
      wrap: spendTogether('RefreshToken', 4),
    })
    await using _ = issuer
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => refresh(tokens.refresh_token)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
  })

  test.each([
    ['after 30 seconds', {}, {}, 31],
    ['where the application refuses repetitions', { latchkey_refresh_repeat: 'refused' }, {}, 1],
    ['after a day', {}, {}, 86_400],
    ['after 29 days, when its successor is still good', {}, {}, 29 * 86_400],
    ['for another scope', {}, { scope: 'openid' }, 1],
    ['for another scope, after a day', {}, { scope: 'openid' }, 86_400],
    ['for the same scope, after a day', {}, { scope: 'openid email offline_access' }, 86_400],
  ])('a used refresh token ends the login %s', async (_, metadata, extra, seconds) => {
    const { issuer, tokens, refresh, readUser } = await aLogin(store)
    await using _issuer = issuer
    const { application } = issuer
    await updateApplication(issuer.scope, application.id, { ...application, metadata })
    const first = await refresh(tokens.refresh_token)
    moveTime(seconds)

    expect(await refresh(tokens.refresh_token, extra)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    expect((await refresh(first.body.refresh_token)).status).toBe(400)
    await expect(readUser(first.body.access_token)).rejects.toMatchObject({ status: 401 })
  })

  test.each([
    ['', {}],
    [', also where the application refuses repetitions', { latchkey_refresh_repeat: 'refused' }],
  ])('a refresh that fails before its response can be sent again%s', async (_, metadata) => {
    let isBroken = false
    const idTokenClaims = () => {
      if (isBroken) throw new Error('The claims are not available.')
      return {}
    }
    const { issuer, tokens, refresh } = await aLogin(store, { idTokenClaims })
    await using _issuer = issuer
    const { application } = issuer
    await updateApplication(issuer.scope, application.id, { ...application, metadata })
    isBroken = true
    expect((await refresh(tokens.refresh_token)).status).toBe(500)
    isBroken = false

    const next = await refresh(tokens.refresh_token)
    expect(next.status).toBe(200)
    expect((await refresh(next.body.refresh_token)).status).toBe(200)
  })

  test('a refresh for an API that the application may not call for a moment can be sent again', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const metadata = { latchkey_resources: notes }
    const application = await issuer.addApplication({ metadata })
    const app = await createClient(issuer, application)
    const { refresh_token: token = '' } = await tokensFor(issuer, app, 'openid offline_access')
    const refresh = () => refreshTokenGrant(app.config, token, { resource: notes })
    await updateApplication(issuer.scope, application.id, { ...application, metadata: {} })
    await expect(refresh()).rejects.toMatchObject({ error: 'invalid_target' })
    await updateApplication(issuer.scope, application.id, { ...application, metadata })

    expect(await refresh()).toMatchObject({ access_token: expect.any(String) })
  })

  test('a used refresh token that has expired ends nothing', async () => {
    const { issuer, tokens, refresh } = await aLogin(store)
    await using _ = issuer
    const first = await refresh(tokens.refresh_token)
    moveTime(20 * 86_400)
    const second = await refresh(first.body.refresh_token)
    moveTime(11 * 86_400)

    expect((await refresh(tokens.refresh_token)).status).toBe(400)
    expect((await refresh(second.body.refresh_token)).status).toBe(200)
  })

  test('however often a login is refreshed, two of its refresh tokens are on record at most', async () => {
    const { issuer, user, tokens, refresh } = await aLogin(store)
    await using _ = issuer
    let token = tokens.refresh_token
    for (let n = 0; n < 20; n++) {
      token = (await refresh(token)).body.refresh_token
      const { tenant, protocol } = issuer
      const onRecord = await protocol.listByAccount(tenant.id, 'RefreshToken', user.id)
      expect(onRecord.length).toBeLessThanOrEqual(2)
      moveTime(3_600)
    }
  })

  test('another application gets no response of a refresh, and the login of its owner goes on', async () => {
    const { issuer, tokens, refresh } = await aLogin(store)
    await using _ = issuer
    const first = await refresh(tokens.refresh_token)
    const other = await issuer.addApplication()

    expect((await refresh(tokens.refresh_token, {}, other)).status).toBe(400)
    expect((await refresh(first.body.refresh_token)).status).toBe(200)
  })

  test('a repeated refresh gets no tokens once the user was disabled, or all sessions were ended', async () => {
    for (const end of [setDisabled, endAllSessions]) {
      const { issuer, user, tokens, refresh } = await aLogin(store)
      await using _ = issuer
      await refresh(tokens.refresh_token)
      if (end === setDisabled) await setDisabled(issuer.scope, user.id, true)
      else await endAllSessions(issuer.scope, user.id)
      expect((await refresh(tokens.refresh_token)).status).toBe(400)
    }
  })

  test('after the tokens were revoked, a repeated refresh gets none', async () => {
    const { issuer, tokens, refresh } = await aLogin(store)
    await using _ = issuer
    const first = await refresh(tokens.refresh_token)
    await post(issuer, issuer.application, 'revoke', { token: first.body.refresh_token ?? '' })
    expect((await refresh(tokens.refresh_token)).status).toBe(400)
  })
})
