import type { AuthRouterOptions } from '@latchkey/express'
import type { ErrorRequestHandler, Express } from 'express'
import { overhear } from '../../../../test/support/leaks.ts'

type Hooks = NonNullable<AuthRouterOptions['hooks']>

/** The same hooks; every error that the kit answers is overheard. */
export function watchHooks(hooks: Hooks = {}): Hooks {
  return {
    ...hooks,
    onError(error, request) {
      overhear('error', error)
      return hooks.onError?.(error, request)
    },
  }
}

/**
 * Overhears every error that reaches the application, in the error handlers of a test too.
 *
 * @returns Adds a handler behind everything else, for errors that nobody handles.
 */
export function watchErrors(app: Express): () => void {
  const use = app.use.bind(app) as (...handlers: unknown[]) => Express
  const note: ErrorRequestHandler = (error, _req, _res, next) => {
    overhear('error', error)
    next(error)
  }
  app.use = ((...handlers: unknown[]) => {
    const isErrorHandler = handlers.some((one) => typeof one === 'function' && one.length === 4)
    if (isErrorHandler) use(note)
    return use(...handlers)
  }) as typeof app.use
  return () => void use(note)
}
