import type { Route } from './route.ts'

/** The HTTP method of a route. */
export function methodOf(kind: Route['kind']): 'GET' | 'POST' | 'DELETE' {
  if (kind === 'write' || kind === 'batch') return 'POST'
  return kind === 'delete' ? 'DELETE' : 'GET'
}
