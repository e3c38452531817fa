import assert from 'node:assert/strict'
import type { Requirement } from '@latchkey/core'
import type { TestRoute } from '../application.ts'
import { type Case, NO_STORE } from '../bench.ts'

const ROUTES: Readonly<Record<string, Requirement>> = {
  '/roles': { roles: ['admin', 'owner'] },
  '/claim': { claims: { email_verified: true } },
  '/check': { check: async () => false },
  '/broken': { check: () => Promise.reject(new Error('no table "bans"')) },
  '/thrown': { claims: { org: () => assert.fail('no such column') } },
  '/acr': { acr: 'urn:mfa' },
}

const guarded = (enforce: boolean): TestRoute[] =>
  Object.entries(ROUTES).map(([path, requirement]) => ({
    method: 'get',
    path,
    requirement: { ...requirement, enforce },
    handle: async () => ({ body: 'let in' }),
  }))

/**
 * A logger like pino, with its lines. The line about sessions in cookies is left out, because only
 * some applications log it.
 */
function logger(): { lines: [level: string, code: string, message: string][]; logger: never } {
  const lines: [string, string, string][] = []
  const write =
    (level: string) =>
    ({ code }: { code: string }, message: string): void => {
      if (code !== 'LATCHKEY_SESSIONS_IN_COOKIES') lines.push([level, code, message])
    }
  const methods = { info: write('info'), warn: write('warn'), error: write('error') }
  return { lines, logger: methods as never }
}

export const rehearsals: readonly Case[] = [
  [
    'a refusal names the requirement and the roles that the user has, in the log and on the page of development',
    async ({ open }) => {
      const log = logger()
      const site = await open({ routes: guarded(true), options: { logger: log.logger } })
      const ada = await site.user()
      const roles = 'it asks for one of "admin", "owner", and the user has "reader"'
      const page = (await ada.open('/roles')).text
      assert.ok(page.replaceAll('&#34;', '"').includes(roles), page)
      assert.equal((await ada.open('/claim')).status, 403)
      const messages = log.lines.filter(([level, code]) => {
        return level === 'info' && code === 'LATCHKEY_FORBIDDEN'
      })
      assert.deepEqual(
        messages.map(([, , message]) => message),
        [
          `The user does not meet the requirement "roles": ${roles}.`,
          'The user does not meet the requirement "claims.email_verified": it asks for true.',
        ],
      )
    },
  ],
  [
    'a guard that is rehearsed lets every logged-in user pass, and reports those that it would have refused',
    async ({ open }) => {
      const log = logger()
      const site = await open({ routes: guarded(false), options: { logger: log.logger } })
      const ada = await site.user()
      for (const path of Object.keys(ROUTES)) {
        assert.equal((await ada.open(path)).text, 'let in', path)
        const [level, code, message] = log.lines.pop() ?? []
        assert.deepEqual([level, code], ['warn', 'LATCHKEY_GUARD_REHEARSED'], path)
        assert.match(
          String(message),
          /(requirement "(roles|claims\.\w+|check|acr)"|^A check failed).*enforce: false/,
        )
      }
      assert.deepEqual(log.lines, [])
    },
  ],
  [
    'a guard that is rehearsed reports no user who meets its requirement',
    async ({ open, provider }) => {
      provider.user = { sub: 'ada', roles: ['admin'] }
      const log = logger()
      const site = await open({ routes: guarded(false), options: { logger: log.logger } })
      assert.equal((await (await site.user()).open('/roles')).text, 'let in')
      assert.deepEqual(log.lines, [])
    },
  ],
  [
    'a guard that is rehearsed sends visitors to log in all the same',
    async ({ open }) => {
      const site = await open({ routes: guarded(false) })
      assert.equal((await site.visitor().open('/roles')).status, 302)
      assert.equal((await site.visitor().call('/roles')).status, 401)
      assert.deepEqual(site.handled, [])
    },
  ],
  [
    'a guard that is rehearsed lets no request pass while the store does not answer',
    async ({ open }) => {
      const site = await open({ routes: guarded(false) })
      const ada = await site.user()
      site.store.isDown = true
      assert.equal((await ada.open('/roles')).status, 503)
      assert.deepEqual(site.handled, [])
    },
    NO_STORE,
  ],
]
