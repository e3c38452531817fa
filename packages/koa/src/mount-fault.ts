import { type Auth, ConfigError } from '@latchkey/core'
import type { KoaContext } from './context.ts'

/**
 * The fault of a login that koa-mount has mounted under a path with which the path of `baseUrl` does
 * not end. The login would start, but the provider would redirect to a callback that the login never
 * sees. `undefined` for every other request.
 */
export function mountFault({ baseUrl, routes }: Auth, ctx: KoaContext): ConfigError | undefined {
  const mounted = mountPathOf(ctx)
  if (mounted === '' || baseUrl.pathname.replace(/\/$/, '').endsWith(mounted)) return undefined
  const remedy = `is ${baseUrl.href}, so the callback is "${routes.callback}", which a login mounted at "${mounted}" never sees. Write app.use(createAuth(…)) without mount() and begin each of "routes" with "${mounted}", or put "${mounted}" at the end of "baseUrl".`
  return new ConfigError([{ option: 'baseUrl', remedy }])
}

/**
 * The path that koa-mount has removed from the URL of a request, also in several steps; empty if it
 * has removed none. It sets `mountPath` and does not remove it afterwards, so the URLs decide.
 */
function mountPathOf({ mountPath, originalUrl, req }: KoaContext): string {
  if (typeof mountPath !== 'string' || typeof originalUrl !== 'string') return ''
  const [before = ''] = originalUrl.split('?')
  const [after = ''] = (req.url ?? '').split('?')
  if (after === '/' && !before.endsWith('/')) return before
  return before.endsWith(after) ? before.slice(0, -after.length).replace(/\/$/, '') : ''
}
