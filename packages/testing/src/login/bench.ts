import assert from 'node:assert/strict'
import { createServer, type RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toTestable } from '../app.ts'
import { type MisbehavingProvider, startMisbehavingProvider } from '../misbehaving-provider.ts'
import type { SuiteCase } from '../suite.ts'
import type { CreateLoginApp, DescribeLoginOptions, LoginAppOptions } from './application.ts'
import { patienceSeconds } from './patience.ts'
import type { TestUsers } from './users.ts'
import { createVisitor, type Visitor } from './visitor.ts'

/** The paths of the application that the cases need. */
export type LoginPaths = Required<Omit<DescribeLoginOptions, 'user' | 'secondUser'>>

/** The running application. */
export interface LoginSite {
  readonly baseUrl: string
  /** The loopback URL at which the application listens. */
  readonly served: string
  readonly provider: MisbehavingProvider
  readonly paths: LoginPaths
  /** Every line that the application has logged, with the kit's logger or `console`. */
  readonly log: readonly string[]
  visitor(): Visitor
  /**
   * Asserts that the guarded page refuses visitors. Only then does opening the page prove a login.
   */
  assertGuarded(): Promise<void>
  /** A visitor who is logged in. */
  user(): Promise<Visitor>
}

/** The tools of every case. */
export interface LoginBench {
  readonly provider: MisbehavingProvider
  /** The users of the application. The provider logs the first one in. */
  readonly users: TestUsers
  /** Creates the application and serves it. */
  open(baseUrl?: string): Promise<LoginSite>
}

/** A bench that can be cleaned up. */
export interface OpenLoginBench extends LoginBench {
  clear(): Promise<void>
  close(): Promise<void>
}

/** A case: the title, which states a property of a sound login, and the test of this property. */
export type LoginCase = SuiteCase<LoginBench>

export const BASE_URL = 'http://localhost:3000'

/** Makes the bench of an application, with one provider for all cases. */
export async function createLoginBench(
  createApp: CreateLoginApp,
  paths: LoginPaths,
  users: TestUsers,
): Promise<OpenLoginBench> {
  const provider = await startMisbehavingProvider()
  const servers: Server[] = []
  const log: string[] = []
  const giveBack = collectConsole(log)
  const reset = (): void => {
    Object.assign(provider, { user: users.first })
    provider.release()
    provider.requests.length = 0
    provider.secrets.splice(0, Infinity, provider.clientSecret)
  }
  reset()

  async function open(baseUrl: string = BASE_URL): Promise<LoginSite> {
    const app = await toTestable(await createApp(optionsFor(provider, baseUrl, log)))
    const served = typeof app === 'string' ? app : await listen(app, servers)
    let guarded: Promise<void> | undefined
    const site: LoginSite = {
      ...{ baseUrl, served, provider, paths, log },
      visitor: () => createVisitor(site),
      assertGuarded() {
        guarded ??= assertGuarded(site)
        return guarded
      },
      async user() {
        const visitor = createVisitor(site)
        await visitor.logIn()
        assert.ok(await visitor.isLoggedIn(), `a login opens ${paths.guardedPath}`)
        return visitor
      },
    }
    return site
  }

  async function clear(): Promise<void> {
    reset()
    log.length = 0
    await Promise.all(servers.splice(0).map(close))
  }

  async function closeAll(): Promise<void> {
    await clear()
    giveBack()
    await provider.close()
  }

  return { provider, users, open, clear, close: closeAll }
}

async function assertGuarded(site: LoginSite): Promise<void> {
  const { guardedPath } = site.paths
  const { status } = await createVisitor(site).open(guardedPath)
  assert.ok(
    status >= 300,
    `GET ${guardedPath} answers ${status} to a visitor who is not logged in, so it cannot show who is. ` +
      'Put requireUser() in front of it, or pass another page as "guardedPath".',
  )
}

function optionsFor(
  provider: MisbehavingProvider,
  baseUrl: string,
  log: string[],
): LoginAppOptions {
  const note = (...line: unknown[]): void => void log.push(line.map(textOf).join(' '))
  return {
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
    baseUrl,
    fetch: provider.fetch,
    session: { secret: 'a secret of tests that protects nothing' },
    logger: { info: note, warn: note, error: note },
    timeoutSeconds: patienceSeconds(),
  }
}

/**
 * Records the output of the console, which is still printed. Returns a function that stops
 * recording.
 */
function collectConsole(log: string[]): () => void {
  const methods = ['debug', 'info', 'log', 'warn', 'error'] as const
  const { console } = globalThis
  const before = methods.map((name) => [name, console[name]] as const)
  for (const [name, write] of before) {
    console[name] = (...line: unknown[]) => {
      log.push(line.map(textOf).join(' '))
      write.apply(console, line)
    }
  }
  return () => void Object.assign(console, Object.fromEntries(before))
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return `${value.stack}`
  return JSON.stringify(value) ?? String(value)
}

async function listen(app: RequestListener | Server, servers: Server[]): Promise<string> {
  const server = app instanceof Server ? app : createServer(app)
  if (!server.listening) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  }
  servers.push(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
