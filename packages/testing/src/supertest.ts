import { ConfigError } from '@latchkey/core'
import { checkOptions, type Rules, text } from '@latchkey/core/internal'
import { type TestableApp, toTestable } from './app.ts'
import { TestingError } from './errors.ts'
import type { KnownUser } from './identity/users.ts'

// biome-ignore lint/suspicious/noTsIgnore: without supertest's types, needed here only, this is any
/** @ts-ignore An agent of supertest, as `request.agent(app)` makes one. */
export type SupertestAgent = import('supertest/lib/agent.js')

/** Options of `logIn()`. */
export interface LogInOptions {
  /** The path of the application's login route. Default `/login`. */
  readonly loginPath?: string
  /**
   * The `Host` of every request, for applications with several hosts. Default: the server's host.
   */
  readonly host?: string
}

const RULES: Rules<LogInOptions> = { loginPath: text, host: text }

/**
 * Logs a user in to an application through the real flow: the application's login route, the login
 * page of the identity, and the callback.
 *
 * @param app - An application of a framework with an adapter of the kit, a function that takes a
 *   `Request`, a server, or the URL of a running application.
 * @returns A supertest agent with the session cookie.
 * @throws {@link TestingError} with the page at which the login stopped.
 */
export async function logIn(
  app: TestableApp,
  user: KnownUser,
  options: LogInOptions = {},
): Promise<SupertestAgent> {
  const { faults } = checkOptions(options, RULES)
  if (faults.length > 0) throw new ConfigError(faults, 'logIn() cannot begin:')
  const { loginPath = '/login', host } = options
  const request = await loadSupertest('logIn()')
  const agent: SupertestAgent = request.agent(await toTestable(app))
  if (host !== undefined) agent.host(host)
  const begun = await agent.get(loginPath).set('accept', 'text/html')
  const location = begun.headers.location
  if (!location) {
    throw new TestingError(
      'LATCHKEY_TEST_NO_LOGIN',
      `GET ${loginPath} answered ${begun.status}${codeIn(begun.text)} where a redirect to ` +
        `${user.identity.issuer} belongs; is the kit mounted with identity.clientOptions(), and its login ` +
        'route there?',
    )
  }
  if (/;\s*secure/i.test(String(begun.headers['set-cookie']))) {
    throw new TestingError(
      'LATCHKEY_TEST_SECURE_COOKIE',
      'The application has an https "baseUrl", and supertest, which speaks http, would not send its ' +
        'cookies; in tests, use an http one on localhost.',
    )
  }
  const returned = await user.identity.logIn(agent, location, user)
  if (returned.status >= 400) {
    throw new TestingError(
      'LATCHKEY_TEST_LOGIN_REFUSED',
      `${user.email} logged in, and the application answered ${returned.status}` +
        `${codeIn(returned.text)} to the callback.`,
    )
  }
  // Guards refuse writes without a header about their page, which browsers send.
  return agent.set('sec-fetch-site', 'same-origin')
}

// biome-ignore lint/suspicious/noTsIgnore: without supertest's types, this is any
/** @ts-ignore What supertest exports. */
export type Supertest = typeof import('supertest')

/**
 * Loads supertest, an optional peer dependency.
 *
 * @param user - The name of the function that needs supertest, for the message of the error.
 * @throws {@link TestingError} with `LATCHKEY_TEST_PEER_MISSING` if supertest is not installed.
 */
export async function loadSupertest(user: string): Promise<Supertest> {
  const { default: request } = await import('supertest').catch((cause: unknown) => {
    throw new TestingError(
      'LATCHKEY_TEST_PEER_MISSING',
      `${user} makes agents of supertest: npm install --save-dev supertest`,
      { cause },
    )
  })
  return request
}

/**
 * The kit's error code in the text of a response, as a suffix such as ` (CODE)`; empty without a
 * code.
 */
function codeIn(text: string): string {
  const [code] = /LATCHKEY_[A-Z_]+/.exec(text) ?? []
  return code ? ` (${code})` : ''
}
