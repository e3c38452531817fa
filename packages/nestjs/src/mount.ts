import { type AuthOptions, ConfigError } from '@latchkey/core'
import { asGuard } from '@latchkey/core/adapter'
import type { HttpServer } from '@nestjs/common'
import type { Handle } from './latchkey-service.ts'
import { visits } from './visits.ts'

const mounted = new WeakSet<object>()

/**
 * Mounts the login in front of an application's routes, on Express or Fastify. The guard of Nest
 * checks every route. So the whole application is marked as guarded for `assertGuarded()`, which
 * then tries each route.
 *
 * @throws {@link ConfigError} for another platform, a missing package, and a second login.
 */
export async function mount(adapter: HttpServer, options: AuthOptions): Promise<Handle> {
  if (mounted.has(adapter)) throw new ConfigError([TWICE])
  mounted.add(adapter)
  keepAnswers(adapter)
  const platform = adapter.getType()
  if (platform === 'express') {
    const { createAuthRouter } = await import('@latchkey/express').catch(missing(platform))
    const router = createAuthRouter(options)
    adapter.use?.(router as never)
    adapter.use?.(asGuard((_req: unknown, _res: unknown, next: () => void) => next()))
    return router
  }
  if (platform === 'fastify') {
    const { createAuth } = await import('@latchkey/fastify').catch(missing(platform))
    const plugin = createAuth(options)
    const app = adapter.getInstance()
    await app.register(plugin)
    app.addHook(
      'onRequest',
      asGuard(async () => {}),
    )
    return plugin
  }
  const remedy = `is "${platform}". Use @nestjs/platform-express or @nestjs/platform-fastify.`
  throw new ConfigError([{ option: 'platform', remedy }])
}

/**
 * Keeps Nest from sending the result of a handler when `auth.login()` or `auth.logout()` has
 * already sent the response.
 */
function keepAnswers(adapter: HttpServer): void {
  for (const name of ['reply', 'render', 'redirect'] as const) {
    const send = adapter[name] as (response: PlatformResponse, ...result: unknown[]) => unknown
    adapter[name] = (response: PlatformResponse, ...result: unknown[]) =>
      isAnswered(response) ? undefined : send.call(adapter, response, ...result)
  }
}

/** A response of Express, or a reply of Fastify. */
interface PlatformResponse {
  readonly req?: object
  readonly request?: object
}

function isAnswered({ req, request = req }: PlatformResponse): boolean {
  return request !== undefined && visits.find(request)?.answer !== undefined
}

function missing(platform: 'express' | 'fastify'): (cause: unknown) => never {
  return (cause) => {
    const name = `@latchkey/${platform}`
    const { code, message } = cause as { code?: string; message?: string }
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message?.includes(name)) throw cause
    throw new ConfigError([{ option: name, remedy: `is not installed. npm install ${name}` }])
  }
}

const TWICE = {
  option: 'LatchkeyModule',
  remedy: 'is imported with forRoot() or forRootAsync() twice. Import it once, in the root module.',
}
