import type { IncomingMessage } from 'node:http'

/** The cookie that remembers which application a browser came from last; it is no secret. */
export function applicationCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-latchkey-application' : 'latchkey-application'
}

/** How long it is remembered. */
export const APPLICATION_COOKIE_SECONDS = 86_400

/** The application from which the browser came last, so that no page is a dead end. */
export function lastApplication(request: IncomingMessage, isSecure: boolean): string | undefined {
  const prefix = `${applicationCookieName(isSecure)}=`
  const pair = request.headers.cookie?.split('; ').find((part) => part.startsWith(prefix))
  return pair?.slice(prefix.length)
}
