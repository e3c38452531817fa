import { createAuth, type RequestAuth, type SessionData, type Visit } from '@latchkey/core'
import { nodePlatform } from '@latchkey/core/node'
import { toAuthRequest } from '@latchkey/core/web'
import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import {
  createCookiesWithMutableAccessCheck,
  MutableRequestCookiesAdapter,
  RequestCookiesAdapter,
} from 'next/dist/server/web/spec-extension/adapters/request-cookies.js'
import { RequestCookies } from 'next/dist/server/web/spec-extension/cookies.js'
import { afterEach, expect, test, vi } from 'vitest'
import { pageResponse } from '../src/page-response.ts'

// The cookies of Next.js, as it hands them to a page or a server action.

const BASE_URL = 'http://localhost:3000'

afterEach(() => {
  vi.useRealTimers()
})

/** An application with sessions in cookies, and the cookies of a user who has logged in. */
async function open(provider: MisbehavingProvider) {
  const create = () =>
    createAuth(
      {
        ...{ issuer: provider.issuer, clientId: provider.clientId, baseUrl: BASE_URL },
        clientSecret: provider.clientSecret,
        logger: false,
        session: { secret: 'a secret of tests that protects nothing', store: 'cookie' },
      },
      nodePlatform(),
    )
  const auth = create()
  const jar = new RequestCookies(new Headers())
  const ask = async (url: string): Promise<Response> => {
    const headers = { cookie: jar.toString(), accept: 'text/html', 'sec-fetch-mode': 'navigate' }
    const answer = await auth.fetch(new Request(url, { headers }), () => new Response('page'))
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
      if (line.includes('Max-Age=0')) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
  const begun = await ask(`${BASE_URL}/login`)
  const back = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' })
  await ask(back.headers.get('location') ?? '')

  const visit = async (cookies: object): Promise<Visit> => {
    // Each request reaches another process, which has only the cookie.
    const auth = create()
    const request = new Request(`${BASE_URL}/page`, { headers: { cookie: jar.toString() } })
    const response = pageResponse(cookies as never, (address) => {
      throw new Error(`redirected to ${address}`)
    })
    return (await auth.visit(toAuthRequest(request, auth.baseUrl), response)) as unknown as Visit
  }
  return {
    /** Runs a server action, and keeps the cookies that Next.js has set. */
    async act<T>(action: (visit: Visit) => Promise<T>): Promise<T> {
      const store = {
        phase: 'action',
        mutableCookies: MutableRequestCookiesAdapter.wrap(jar as never),
      }
      const cookies = createCookiesWithMutableAccessCheck(store as never)
      const done = await action(await visit(cookies))
      for (const { name, value } of cookies.getAll()) jar.set(name, value)
      return done
    },
    /** Renders a page, which can set no cookie. */
    render: async <T>(page: (visit: Visit) => Promise<T>): Promise<T> =>
      page(await visit(RequestCookiesAdapter.seal(jar as never))),
  }
}

const dataOf = async ({ data }: { readonly data: SessionData }): Promise<unknown> => data.get()
const tokenOf = ({ auth }: { readonly auth: Pick<RequestAuth, 'accessToken'> }): Promise<string> =>
  auth.accessToken()
const forced = ({ auth }: Visit): Promise<string> => auth.accessToken({ force: true })

test('every change of data that a server action makes is in the cookie', async () => {
  await using provider = await startMisbehavingProvider()
  const { act, render } = await open(provider)

  await act(async ({ data }) => {
    await data.set({ first: 1 })
    await data.set({ second: 2 })
  })

  expect(await render(dataOf)).toEqual({ first: 1, second: 2 })
})

test('tokens that a server action has refreshed are in the cookie', async () => {
  await using provider = await startMisbehavingProvider()
  const { act, render } = await open(provider)
  const before = await render(tokenOf)

  const refreshed = await act(forced)

  expect(refreshed).not.toBe(before)
  expect(await render(tokenOf)).toBe(refreshed)
})

test('a user that a server action has read again is in the cookie', async () => {
  await using provider = await startMisbehavingProvider()
  const { act, render } = await open(provider)
  provider.user = { sub: 'ada', name: 'Ada King' }

  await act(({ auth }) => auth.refreshUser())

  expect(await render(async ({ auth }) => auth.user?.name)).toBe('Ada King')
})

test('a page that is rendered spends no refresh token, because it can set no cookie', async () => {
  await using provider = await startMisbehavingProvider()
  const { act, render } = await open(provider)
  const before = provider.count('/token')

  await expect(render(forced)).rejects.toMatchObject({ code: 'LATCHKEY_SESSION_NOT_SENT' })
  const token = await render(tokenOf)
  vi.useFakeTimers({
    toFake: ['Date'],
    now: Date.now() + (provider.accessTokenSeconds - 10) * 1000,
  })
  expect(await render(tokenOf)).toBe(token)
  vi.setSystemTime(Date.now() + 20_000)
  await expect(render(tokenOf)).rejects.toMatchObject({ code: 'LATCHKEY_SESSION_NOT_SENT' })

  expect(provider.count('/token')).toBe(before)
  expect(await act(forced)).not.toBe('')
})

test('the question whether cookies can be set changes no cookie, so Next.js renders nothing again', () => {
  const store = { phase: 'action', mutableCookies: undefined as unknown as object }
  const update = vi.fn()
  store.mutableCookies = MutableRequestCookiesAdapter.wrap(
    new RequestCookies(new Headers()) as never,
    update,
  )
  const cookies = createCookiesWithMutableAccessCheck(store as never)
  const response = pageResponse(cookies, () => expect.unreachable())

  expect(response.isSent).toBe(false)
  expect(update).not.toHaveBeenCalled()
  response.append('set-cookie', 'latchkey=a; Path=/')
  expect(update).toHaveBeenCalledOnce()
})
