import type { RequestContext } from '../context.ts'
import { readCookie, setCookie } from '../http/cookies.ts'
import type { AuthRequest } from '../http/request.ts'
import { userHash } from '../log/events.ts'
import type { AuthSession } from '../session/session.ts'
import { deriveKey, macOf } from '../shared/sealing.ts'
import { browserAndSystem } from './user-agent.ts'

/**
 * The length of a `User-Agent` that is read at most. No browser sends a longer one, and reading it
 * would cost more.
 */
const MAX_USER_AGENT = 512
const KEPT_SECONDS = 400 * 86_400
/**
 * The number of users that a browser remembers. Beyond it, the one who logged in longest ago is
 * dropped.
 */
const MAX_USERS = 10
const TAG_LENGTH = 16

/**
 * The browser and system of a request, such as `Firefox on macOS`; `undefined` if its `User-Agent`
 * names neither.
 */
export function deviceLabel({ headers }: AuthRequest): string | undefined {
  const userAgent = headers.get('user-agent')?.slice(0, MAX_USER_AGENT)
  return userAgent && browserAndSystem(userAgent)
}

/**
 * Calls the hook `onNewDevice` for a login in a browser that this user has not logged in with
 * before. Resolves to the `Set-Cookie` line that records the browser.
 *
 * The cookie holds a keyed hash for each user. The hash is the same in all browsers of a user, so
 * it does not identify a browser, and it is not used for anything else.
 */
export async function greetDevice(
  { context, request }: RequestContext,
  login: AuthSession,
): Promise<string[]> {
  const { hooks, secrets, session } = context.options
  if (!hooks.onNewDevice) return []
  const name = `${session.cookieName}.devices`
  const { issuer, sub, user, device } = login
  const tags = secrets.map((secret) =>
    macOf(JSON.stringify([issuer, sub]), deriveKey(secret, 'device')).slice(0, TAG_LENGTH),
  )
  const present = readCookie(request.headers.get('cookie'), name)?.split('.') ?? []
  if (!tags.some((tag) => present.includes(tag))) {
    await hooks.onNewDevice({ request, user, issuer, device })
    context.publish('login.new_device', { issuer, user: userHash(issuer, sub) })
  }
  const others = present.filter((tag) => tag.length === TAG_LENGTH && !tags.includes(tag))
  const kept = [tags[0], ...others].slice(0, MAX_USERS).join('.')
  return [setCookie(name, kept, { ...session.cookie, maxAgeSeconds: KEPT_SECONDS })]
}
