import { type Entry, isUnder } from './entries.ts'
import { asksForLogin, type RouteVisitor } from './visit-routes.ts'

const NOWHERE = 'latchkey/no/such/page'

/**
 * Sends a visitor's request to a guarded route.
 *
 * @param example - A URL path of the route, if none can be derived from its pattern.
 * @returns A fault as a sentence; `undefined` if the visitor was asked to log in.
 */
export async function tryGuard(
  visitor: RouteVisitor,
  entry: Entry,
  label: string,
  example: string | undefined,
): Promise<string | undefined> {
  const path = example ?? addressOf(entry.path)
  if (path === undefined) {
    return `${label} has a guard that was not tried: no address can be made of this path. Name one in "examples".`
  }
  const method = entry.method ?? 'GET'
  const answer = await visitor.ask(method, path)
  if (!answer)
    return `${label} has a guard, but ${method} ${path} got no answer within five seconds.`
  if (asksForLogin(answer)) return undefined
  return `${label} has a guard that did not decide: a visitor who asked for ${method} ${path} got ${answer.status}.`
}

/**
 * Sends a visitor's request to a missing page below the path of a middleware.
 *
 * @returns Whether the request was answered like one for an existing page.
 */
export async function answersNowhere(visitor: RouteVisitor, path: string): Promise<boolean> {
  const address = addressOf(path)
  if (address === undefined) return false
  const answer = await visitor.ask('GET', `${address.replace(/\/$/, '')}/${NOWHERE}`)
  return answer !== undefined && answer.status < 300
}

/** Whether a route matches any path below a folder, so that it may answer a missing page there. */
export function takesAnything({ kind, path }: Entry, folder: string): boolean {
  if (kind !== 'handler' && kind !== 'mounted') return false
  const isThere = path === folder || isUnder(path, folder) || isUnder(folder, path)
  return isThere && (kind === 'mounted' || /[*‹(]/.test(path))
}

/** A concrete URL path for a path pattern; `undefined` if none can be derived. */
function addressOf(path: string): string | undefined {
  if (path.includes('‹')) return undefined
  const address = path
    .replace(/\{([^{}]*)\}/g, '$1')
    .replace(/:\w+(\([^()]*\)|\{[^{}]*\})?\??/g, (parameter) =>
      /[({]/.test(parameter) ? '‹' : '1',
    )
    .replace(/\*\w*/g, '1')
  return /[‹()[\]{}?+*\\]/.test(address) ? undefined : address
}
