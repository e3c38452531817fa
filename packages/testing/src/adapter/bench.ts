import assert from 'node:assert/strict'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AuthOptions, createMemoryStore, type SessionStore } from '@latchkey/core'
import type { Response, Test } from 'supertest'
import { type MisbehavingProvider, startMisbehavingProvider } from '../misbehaving-provider.ts'
import type { SuiteCase } from '../suite.ts'
import { loadSupertest, type Supertest, type SupertestAgent } from '../supertest.ts'
import type { AdapterUnderTest, TestApplication, TestRoute } from './application.ts'
import { type WatchedStore, watchStore } from './watched-store.ts'

export const BASE_URL = 'http://localhost:3000'

/** The headers of a browser's navigation. */
export const PAGE: Readonly<Record<string, string>> = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}

/** The parts of an application that a case can change. */
export interface Setup extends Partial<TestApplication> {
  readonly options?: AuthOptions
  /** A site with which the new site shares its sessions. */
  readonly sessionsOf?: Site
  /** The value of `session.store`, instead of a working one. */
  readonly store?: unknown
}

/** A browser at a site, as an agent of supertest. */
export interface Visitor {
  readonly agent: SupertestAgent
  /** Navigates to a page, without following redirects. */
  open(path: string): Promise<Response>
  /** Sends a request like a script. */
  call(path: string): Promise<Response>
  /** Sends a form from a page of this site, unless `headers` name another origin. */
  post(path: string, form?: object, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Logs in from a path. Resolves to the response of the callback. */
  logIn(path?: string): Promise<Response>
}

/** A running application. */
export interface Site {
  readonly request: Supertest
  readonly server: Server
  readonly provider: MisbehavingProvider
  readonly store: WatchedStore
  /** The paths whose handlers have run. */
  readonly handled: string[]
  visitor(): Visitor
  /** A visitor who is logged in. */
  user(): Promise<Visitor>
  /** Logs in at the provider. Resolves to the path and query of the provider's redirect back. */
  authorize(begun: Response): Promise<string>
}

/** The tools of every case. */
export interface Bench {
  readonly provider: MisbehavingProvider
  open(setup?: Setup): Promise<Site>
}

export const NO_STORE = 'there is no store that could be down'
export const NO_NOTICES = 'the provider cannot end sessions that are in cookies'
export const NO_ADOPTION = 'sessions in cookies forget which old sessions were adopted'
export const NO_LIST = 'sessions in cookies cannot be listed, and have no names of devices'
export const NO_COMMON_LOGOUT = 'one process does not know what another has ended'

/** A bench that can be cleaned up. */
export interface OpenBench extends Bench {
  /** Closes everything that a case has opened, and resets the provider. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** A case: the title, which states a property of every adapter, and the test of this property. */
export type Case = SuiteCase<Bench>

const ADA = { sub: 'ada', name: 'Ada', email: 'ada@example.com', roles: ['reader'] }

/** Makes the bench of an adapter, with one provider for all cases. */
export async function createBench(adapter: AdapterUnderTest): Promise<OpenBench> {
  const request = await loadSupertest('describeAdapter()')
  const provider = await startMisbehavingProvider()
  const servers: Server[] = []
  const reset = (): void => {
    Object.assign(provider, {
      user: ADA,
      accessTokenSeconds: 600,
      metadata: {},
      rewrite: undefined,
    })
    provider.release()
  }
  reset()

  async function open(setup: Setup = {}): Promise<Site> {
    const { options = {}, routes = [], parser = 'none', inFront, onError, webhook } = setup
    const opened = await adapter.openStore?.()
    const watched = opened
      ? watchStore(opened)
      : (setup.sessionsOf?.store ?? watchStore(createMemoryStore(clockOf(options))))
    const handled: string[] = []
    const server = await adapter.createServer(
      {
        issuer: provider.issuer,
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        baseUrl: BASE_URL,
        logger: false,
        ...options,
        session: {
          secret: 'a secret of tests that protects nothing',
          ...options.session,
          store:
            'store' in setup
              ? (setup.store as SessionStore)
              : adapter.sessions === 'cookie'
                ? 'cookie'
                : watched.store,
        },
      },
      {
        routes: [...routes, ...USUAL].map((route) => noting(route, handled)),
        parser,
        ...(inFront && { inFront }),
        ...(onError && { onError }),
        ...(webhook && { webhook }),
      },
    )
    server.on('request', giveUpIfHung)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
    const site: Site = {
      request,
      server,
      provider,
      store: watched,
      handled,
      visitor: () => createVisitor(site),
      async user() {
        const visitor = createVisitor(site)
        await visitor.logIn()
        return visitor
      },
      authorize: (begun) => authorize(provider, begun),
    }
    return site
  }

  async function clear(): Promise<void> {
    reset()
    await Promise.all(servers.splice(0).map(closeServer))
  }

  async function close(): Promise<void> {
    await clear()
    await provider.close()
    await adapter.close?.()
  }

  return { provider, open, clear, close }
}

/** Closes the connection of a request without a response after 10 s, so that its case fails. */
function giveUpIfHung(_request: IncomingMessage, response: ServerResponse): void {
  const giveUp = (): void => {
    if (!response.headersSent) response.socket?.destroy()
  }
  const timer = setTimeout(giveUp, HUNG_MILLISECONDS)
  response.once('close', () => clearTimeout(timer))
}

const HUNG_MILLISECONDS = 10_000

/** The routes of every application. */
const USUAL: readonly TestRoute[] = [
  {
    method: 'get',
    path: '/',
    handle: async ({ auth }) => ({
      body: auth.isAuthenticated ? `in as ${auth.user.sub}` : 'out',
    }),
  },
  { method: 'get', path: '/plain', handle: async () => ({ body: 'plain' }) },
  {
    method: 'get',
    path: '/private',
    requirement: {},
    handle: async ({ user }) => ({ body: `private to ${user().sub}` }),
  },
  {
    method: 'post',
    path: '/private',
    requirement: {},
    handle: async () => ({ body: 'sent' }),
  },
]

function noting(route: TestRoute, handled: string[]): TestRoute {
  return {
    ...route,
    handle(given) {
      handled.push(route.path)
      return route.handle(given)
    },
  }
}

function clockOf({ now }: AuthOptions): { now?: () => number } {
  return now ? { now } : {}
}

function createVisitor(site: Site): Visitor {
  const agent = site.request.agent(site.server)
  const visitor: Visitor = {
    agent,
    open: (path) => agent.get(path).set(PAGE),
    call: (path) => agent.get(path).set('accept', 'application/json'),
    post: (path, form = {}, headers = { origin: BASE_URL }) =>
      agent
        .post(path)
        .set({ accept: PAGE.accept as string, ...headers })
        .type('form')
        .send(form),
    async logIn(path = '/login') {
      return visitor.open(await site.authorize(await visitor.open(path)))
    },
  }
  return visitor
}

async function authorize(provider: MisbehavingProvider, begun: Response): Promise<string> {
  const location = locationOf(begun)
  assert.equal(location.origin, new URL(provider.issuer).origin, 'the login is at the provider')
  const answer = await fetch(location, { redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? 'nowhere:')
  assert.equal(back.origin, new URL(BASE_URL).origin, 'the provider leads back to baseUrl')
  return back.pathname + back.search
}

/** The redirect target of a response. */
export function locationOf(answer: Response): URL {
  const { location } = answer.headers
  assert.ok(location, `${answer.status} ${answer.text} redirects`)
  return new URL(location, BASE_URL)
}

/** The path and query of a redirect. Fails if the redirect leaves this site. */
export function pathOf(answer: Response): string {
  const { origin, pathname, search } = locationOf(answer)
  assert.equal(origin, BASE_URL, 'the redirect stays on this site')
  return pathname + search
}

/** The lines of `Set-Cookie`. */
export function cookiesOf(answer: Response): string[] {
  const lines: unknown = answer.headers['set-cookie']
  return Array.isArray(lines) ? lines : []
}

/**
 * The value of a cookie that a response sets; `undefined` if the response does not set the
 * cookie, or removes it.
 */
export function cookieOf(answer: Response, name = 'latchkey'): string | undefined {
  const line = cookiesOf(answer).findLast((one) => one.startsWith(`${name}=`))
  return line?.slice(name.length + 1).split(';')[0] || undefined
}

/** Sends a GET request like a script, with this `Cookie` header. */
export function withCookie(site: Site, path: string, cookie: string): Test {
  return site.request(site.server).get(path).set('cookie', cookie).set('accept', 'application/json')
}

/** Asserts that no cache may store a response. */
export function assertPrivate(answer: Response): void {
  const cacheControl = String(answer.headers['cache-control'])
  assert.match(cacheControl, /\bprivate\b/, `${cacheControl} is private`)
  assert.match(cacheControl, /\bno-store\b/)
  assert.doesNotMatch(cacheControl, /public|max-age|s-maxage/)
  const vary = String(answer.headers.vary).toLowerCase()
  assert.ok(vary.split(/\s*,\s*/).includes('cookie'), `Vary is ${vary}`)
}

/** The port at which a server listens. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
