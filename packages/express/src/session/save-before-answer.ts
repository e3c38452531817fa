import { SessionEndedError } from '@latchkey/core'
import { BODY_HEADERS } from '@latchkey/core/internal'
import type { Request, Response } from 'express'
import type { RequestSession } from './request-session.ts'

/** The headers that are removed from a response that is not sent. */
const ABANDONED = [...BODY_HEADERS, 'content-type', 'location']

/**
 * Saves the changes of `req.session` before the response ends, so that the browser does not follow
 * a redirect before they are stored. express-session itself sends all bytes but the last one before
 * it saves.
 *
 * When saving fails, the error is passed to the application's error handler, and the response is
 * not sent. A response with status 5xx is sent in any case.
 */
export function saveBeforeAnswer(req: Request, response: Response, session: RequestSession): void {
  const end = response.end as (...args: unknown[]) => Response
  const writeHead = response.writeHead as (...args: unknown[]) => Response
  let state: 'open' | 'saving' | 'saved' = 'open'
  const answer = (args: unknown[], error?: unknown): void => {
    state = 'saved'
    const isLost = error !== undefined && error !== null && !(error instanceof SessionEndedError)
    // A response with status 5xx is sent, because no other response can follow after Express's last
    // error handler.
    const isFinal = response.statusCode >= 500 || !req.next
    if (isLost && isFinal && !response.headersSent) {
      if (response.statusCode < 500) response.statusCode = 500
      end.apply(response, args)
      return
    }
    if (!isLost || response.headersSent) end.apply(response, args)
    else for (const name of ABANDONED) response.removeHeader(name)
    if (isLost) req.next?.(error)
  }
  const save = (args: unknown[]): void => {
    try {
      if (session.isChanged) session.save((error) => answer(args, error))
      else answer(args)
    } catch (error) {
      // The data cannot be serialized as JSON, for example because of a circular structure.
      answer(args, error)
    }
  }
  const endWhenSaved = (...args: unknown[]): Response => {
    if (state === 'saved') return end.apply(response, args)
    if (state === 'saving') return response
    state = 'saving'
    if (session.saving) void session.saving.then(() => save(args))
    else save(args)
    return response
  }
  response.end = endWhenSaved as Response['end']
  response.writeHead = ((...args: unknown[]) => {
    // The body is streamed, so the headers are sent before the session is saved.
    if (state === 'open') session.announce()
    return writeHead.apply(response, args)
  }) as Response['writeHead']
}
