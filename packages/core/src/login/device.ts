import type { RequestContext } from '../context.ts'
import { readCookie, setCookie } from '../http/cookies.ts'
import type { AuthRequest } from '../http/request.ts'
import { userHash } from '../log/events.ts'
import type { AuthSession } from '../session/session.ts'
import { deriveKey, macOf } from '../shared/sealing.ts'
import { browserAndSystem } from './user-agent.ts'

/**
 * The number of characters of a `User-Agent` that are read, which limits the work of a request. No
 * browser sends more.
 */
const MAX_USER_AGENT = 512
const KEPT_SECONDS = 400 * 86_400
/**
 * The number of users that the cookie of a browser records. If there are more, the user who logged
 * in longest ago is dropped.
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
 * Calls the hook `onNewDevice` if this user has not logged in with this browser before. Resolves to
 * the `Set-Cookie` value that records the user; none without the hook.
 *
 * The cookie holds a keyed hash of each user. The hash of a user is the same in all browsers, so
 * the cookie does not identify a browser.
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
