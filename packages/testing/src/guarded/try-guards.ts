import { type Entry, isUnder } from './entries.ts'
import { asksForLogin, type RouteVisitor } from './visit-routes.ts'

const NOWHERE = 'latchkey/no/such/page'

/**
 * Sends one visitor's request to a route that has a guard in front of it.
 *
 * @param example - An address of the route, for a path that no address can be made of.
 * @returns A sentence about the route unless the visitor was asked to log in.
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
 * Sends one visitor's request to an address below the path of a middleware where no route is.
 *
 * @returns Whether something answered it as if it were a page.
 */
export async function answersNowhere(visitor: RouteVisitor, path: string): Promise<boolean> {
  const address = addressOf(path)
  if (address === undefined) return false
  const answer = await visitor.ask('GET', `${address.replace(/\/$/, '')}/${NOWHERE}`)
  return answer !== undefined && answer.status < 300
}

/** Whether a route takes addresses that end anywhere, so that what answers there may be this route. */
export function takesAnything({ kind, path }: Entry, folder: string): boolean {
  if (kind !== 'handler' && kind !== 'mounted') return false
  const isThere = path === folder || isUnder(path, folder) || isUnder(folder, path)
  return isThere && (kind === 'mounted' || /[*‹(]/.test(path))
}

/** A concrete URL for a path pattern; `undefined` if none can be derived. */
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
