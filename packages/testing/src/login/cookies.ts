import assert from 'node:assert/strict'
import type { LoginCase, LoginSite } from './bench.ts'

const HTTPS = 'https://app.example.com'

export const cookies: readonly LoginCase[] = [
  [
    'every login has a new session id, and the previous one is not valid',
    async ({ open }) => {
      const site = await open()
      const ada = await site.user()
      const before = cookieHeader(ada)
      await ada.logIn()
      assert.notEqual(cookieHeader(ada), before, 'the cookies change')
      assert.equal(await opens(site, before), false, 'the cookies before the login are refused')
      assert.equal(await opens(site, cookieHeader(ada)), true)
    },
  ],
  [
    'a session that was planted before the login is not the one that the user gets',
    async ({ open }) => {
      const site = await open()
      const attacker = site.visitor()
      for (const path of ['/', site.paths.guardedPath, site.paths.loginPath]) {
        await attacker.open(path)
      }
      const planted = cookieHeader(attacker)
      await attacker.logIn()
      assert.equal(await opens(site, planted), false)
    },
  ],
  [
    'a session cookie with a changed value is no session',
    async ({ open }) => {
      const site = await open()
      const ada = await site.user()
      for (const [key, cookie] of ada.cookies) {
        const { value } = cookie
        for (const changed of [`${value}A`, value.slice(1), value.toUpperCase(), '']) {
          ada.cookies.set(key, { ...cookie, value: changed })
          assert.equal(await ada.isLoggedIn(), await opens(site, headerWithout(ada, key)))
        }
        ada.cookies.set(key, cookie)
      }
    },
  ],
  [
    'the cookies of a login are HttpOnly and SameSite, and for no other host',
    async ({ open }) => {
      const lines = await linesOf(await open())
      for (const line of lines) {
        assert.match(line, /; *httponly/i, nameOf(line))
        assert.match(line, /; *samesite=(lax|strict)/i, nameOf(line))
        assert.doesNotMatch(line, /; *domain=/i, nameOf(line))
      }
    },
  ],
  [
    'on https the cookies of a login are Secure',
    async ({ open }) => {
      const lines = await linesOf(await open(HTTPS))
      for (const line of lines) assert.match(line, /; *secure/i, nameOf(line))
    },
  ],
]

/** The `Set-Cookie` lines of a login, except those that remove a cookie. */
async function linesOf(site: LoginSite): Promise<string[]> {
  const ada = site.visitor()
  const begun = await ada.open(site.paths.loginPath)
  const ended = await ada.logIn()
  const lines = [...begun.cookies, ...ended.cookies].filter((line) => /^[^=]+=[^;]/.test(line))
  assert.ok(lines.length > 0, 'a login sets cookies')
  return lines
}

type Holder = ReturnType<LoginSite['visitor']>

function cookieHeader(visitor: Holder): string {
  return headerWithout(visitor, undefined)
}

/**
 * The `Cookie` header of a visitor without one cookie. In the keys of `cookies`, the name of the
 * cookie follows a space.
 */
function headerWithout({ cookies }: Holder, omittedKey: string | undefined): string {
  return [...cookies]
    .filter(([key]) => key !== omittedKey)
    .map(([key, { value }]) => `${key.slice(key.indexOf(' ') + 1)}=${value}`)
    .join('; ')
}

/** Whether the guarded page opens with these cookies. */
async function opens({ visitor, paths }: LoginSite, cookie: string): Promise<boolean> {
  const { status } = await visitor().open(paths.guardedPath, { cookie })
  return status >= 200 && status < 300
}

function nameOf(line: string): string {
  return `the cookie ${line.split('=')[0]}`
}
