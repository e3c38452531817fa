import type { Logger } from '@latchkey/core'
import type { AuthOptions } from '@latchkey/express'
import type { ErrorRequestHandler, Express } from 'express'
import { overhear } from '../../../../test/support/leaks.ts'

type Hooks = NonNullable<AuthOptions['hooks']>

/** The same hooks; every error that the kit answers is overheard. */
export function watchHooks(hooks: Hooks = {}): Hooks {
  return {
    ...hooks,
    onError(error, request, exchange) {
      overhear('error', error)
      return hooks.onError?.(error, request, exchange)
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

/** A line of the log, as pino receives it. */
export interface LogLine {
  readonly level: string
  readonly facts: Record<string, unknown>
  readonly message: string
}

/** Keeps the lines of the log, which are overheard as well. */
export function watchLog(lines: LogLine[] = []): Logger {
  const take = (level: string) => (facts: Record<string, unknown>, message: string) => {
    overhear('log', [facts, message])
    lines.push({ level, facts, message })
  }
  return { info: take('info'), warn: take('warn'), error: take('error') }
}

/** The address in the log that lets a browser in as the developer's. */
export function keyLink(lines: readonly LogLine[]): string {
  const [link] = /http:\S+key=\S+/.exec(lines.map(({ message }) => message).join('\n')) ?? []
  if (!link) throw new Error('The log has no link with a key.')
  return link
}
