import { SessionEndedError } from '@latchkey/core'
import type { Request, Response } from 'express'
import type { RequestSession } from './request-session.ts'

/** Headers of a response that is not sent after all. */
const ABANDONED = ['content-length', 'content-type', 'etag', 'last-modified', 'location']

/**
 * Saves the changes of `req.session` before the response is sent, so that the browser does not
 * follow a redirect before they are stored. express-session alone sends all but the last byte
 * first.
 *
 * When saving fails, the error goes to the application's error handler, and the response is not
 * sent.
 */
export function saveBeforeAnswer(req: Request, response: Response, session: RequestSession): void {
  const end = response.end as (...args: unknown[]) => Response
  const writeHead = response.writeHead as (...args: unknown[]) => Response
  let state: 'open' | 'saving' | 'saved' = 'open'
  const answer = (args: unknown[], error?: unknown): void => {
    state = 'saved'
    const isLost = error !== undefined && error !== null && !(error instanceof SessionEndedError)
    // The response to an error is sent, because after Express's own last handler no other response
    // can follow.
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
      // The data cannot be written as JSON, such as a circular structure.
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
    // The body is streamed, so the headers leave before the session is saved.
    if (state === 'open') session.announce()
    return writeHead.apply(response, args)
  }) as Response['writeHead']
}
