import { ConfigError } from '@latchkey/core'
import { checkOptions, either, type Rules, rule } from '@latchkey/core/internal'
import type { CreateLoginApp, DescribeLoginOptions } from './login/application.ts'
import { createLoginBench, type LoginCase, type OpenLoginBench } from './login/bench.ts'
import { cookies } from './login/cookies.ts'
import { guards } from './login/guards.ts'
import { leaks } from './login/leaks.ts'
import { logins } from './login/logins.ts'
import { logoutNotices } from './login/logout-notices.ts'
import { logouts } from './login/logouts.ts'
import { outages } from './login/outages.ts'
import { returns } from './login/returns.ts'
import { tokens } from './login/tokens.ts'
import { areDistinct, usersOf } from './login/users.ts'
import { declareSuite, type TestRunner } from './suite.ts'

export type { CreateLoginApp, DescribeLoginOptions, LoginAppOptions } from './login/application.ts'
export type { TestRunner } from './suite.ts'

const path = rule('a path that begins with "/"', (value) => /^\/(?!\/)/.test(String(value)))
const pathOrOff = either(
  path,
  rule('false', (value) => value === false),
)
const claims = rule('an object of claims', (value) => typeof value === 'object' && value !== null)
const RULES: Rules<DescribeLoginOptions> = {
  guardedPath: path,
  loginPath: path,
  logoutPath: pathOrOff,
  backchannelLogoutPath: pathOrOff,
  user: claims,
  secondUser: claims,
}

/**
 * Declares tests that attack the login of your application and simulate faults of the provider.
 * Prints a table of the results. The application can use any login kit that can be configured with
 * these options.
 *
 * @param createApp - Creates the application with these options, which lead to a misbehaving
 *   provider. Called for each case.
 * @param options - The paths of a guarded page and of the login routes, if they are not the
 *   default.
 * @param runner - The functions that declare tests. Default: the globals of Jest, or of Vitest with
 *   `globals: true`. Otherwise pass the module of the runner: `import * as runner from
 *   'node:test'`.
 * @throws {@link ConfigError} for an option that is unknown or of a wrong type.
 */
export function describeLogin(
  createApp: CreateLoginApp,
  options: DescribeLoginOptions = {},
  runner: TestRunner = globalThis as unknown as TestRunner,
): void {
  const { faults } = checkOptions(options, RULES)
  if (faults.length > 0) throw new ConfigError(faults, 'describeLogin() cannot begin:')
  const { user, secondUser, ...given } = options
  const users = usersOf({ ...(user && { user }), ...(secondUser && { secondUser }) })
  if (!areDistinct(users)) {
    const remedy = 'must have another "sub" and another "email" than the first user.'
    throw new ConfigError([{ option: 'secondUser', remedy }], 'describeLogin() cannot begin:')
  }
  const paths = {
    guardedPath: '/account',
    loginPath: '/login',
    logoutPath: '/logout',
    backchannelLogoutPath: '/backchannel-logout',
    ...given,
  } as const
  const groups: Record<string, readonly LoginCase[]> = {
    logins,
    'ID tokens': tokens,
    'provider faults': outages,
    'places to return to': returns,
    cookies,
    guards,
    leaks,
    ...(paths.logoutPath && { logouts }),
    ...(paths.backchannelLogoutPath && { 'logout notices': logoutNotices }),
  }
  const openBench = (): Promise<OpenLoginBench> => createLoginBench(createApp, paths, users)
  declareSuite({ caller: 'describeLogin()', title: 'The login', groups, openBench }, runner)
}
