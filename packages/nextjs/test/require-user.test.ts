import { type AuthOptions, createAuth, type Requirement } from '@latchkey/nextjs'
import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import { expect, test } from 'vitest'

const optionsOf = (provider: MisbehavingProvider): AuthOptions => ({
  ...{ issuer: provider.issuer, clientId: provider.clientId, baseUrl: 'http://localhost:3000' },
  clientSecret: provider.clientSecret,
  bearer: { audience: 'https://api.example' },
  logger: false,
  session: { secret: 'a secret of tests that protects nothing' },
})

/** Asks a route handler that is for all visitors, and whose code calls `requireUser()`. */
async function ask(
  provider: MisbehavingProvider,
  requirement: Requirement<Request>,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const auth = createAuth(optionsOf(provider))
  const handler = auth.route(async () => new Response((await auth.requireUser(requirement)).sub))
  return handler(new Request('http://localhost:3000/api', { headers }), undefined)
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('requireUser() in a route handler lets the user of a bearer token in', async () => {
  await using provider = await startMisbehavingProvider()
  const token = provider.accessToken({ sub: 'bob', scope: 'notes' })

  const answer = await ask(provider, { accept: ['bearer'], scopes: ['notes'] }, bearer(token))

  expect([answer.status, await answer.text()]).toEqual([200, 'bob'])
})

test('requireUser() in a route handler answers with the code of the refusal', async () => {
  await using provider = await startMisbehavingProvider()
  const requirement = { accept: ['bearer'], scopes: ['notes'] } as const
  for (const [requires, headers, status, code] of [
    [requirement, bearer(provider.accessToken({})), 403, 'LATCHKEY_SCOPE_MISSING'],
    [requirement, bearer('nonsense'), 401, 'LATCHKEY_BEARER_INVALID'],
    [{}, {}, 401, 'LATCHKEY_LOGIN_REQUIRED'],
  ] as const) {
    const answer = await ask(provider, requires, headers)
    const { code: answered } = (await answer.json()) as { code: string }
    expect([answer.status, answered]).toEqual([status, code])
  }
})

test('guards that decide at the same time do not take the bearer token from each other', async () => {
  await using provider = await startMisbehavingProvider()
  const auth = createAuth(optionsOf(provider))
  const bearerOnly = { accept: ['bearer'] } as const
  const handler = auth.route(async () => {
    const refused = auth.requireUser({ ...bearerOnly, scopes: ['write'] }).catch(({ code }) => code)
    const [first, code] = await Promise.all([auth.requireUser(bearerOnly), refused])
    await auth.requireScopes(['notes'])
    const second = await auth.requireUser().catch((error) => error.code)
    const scopes = await auth.requireScopes(['write']).catch((error) => error.code)
    return Response.json([first.sub, code, second, (await auth.getUser()).sub, scopes])
  })
  const headers = bearer(provider.accessToken({ sub: 'bob', scope: 'notes' }))

  const answer = await handler(new Request('http://localhost:3000/api', { headers }), undefined)

  const [missing, needed] = ['LATCHKEY_SCOPE_MISSING', 'LATCHKEY_LOGIN_REQUIRED']
  expect(await answer.json()).toEqual(['bob', missing, needed, 'bob', missing])
})

test('a handler that is called without Next.js throws the error of redirect()', async () => {
  await using provider = await startMisbehavingProvider()
  const auth = createAuth(optionsOf(provider))
  const redirected = Object.assign(new Error('NEXT_REDIRECT'), { digest: 'NEXT_REDIRECT;replace' })
  const handler = auth.route(async () => {
    await (await auth.getData()).set({ seen: true })
    throw redirected
  })

  const answer = handler(new Request('http://localhost:3000/api'), undefined)

  await expect(answer).rejects.toBe(redirected)
})
