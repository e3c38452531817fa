import { SessionEndedError } from '@latchkey/core'
import type { Response } from 'express'
import { isChanged, type SessionView } from './view-store.ts'

/** Headers of an answer that is not given after all. */
const ABANDONED = ['content-length', 'content-type', 'etag', 'last-modified', 'location']

/**
 * Saves what a request changed in `req.session` before its answer leaves, so that no redirect
 * overtakes it. express-session alone sends all but the last byte first, and the browser goes on.
 *
 * When saving fails, the error goes to the application's error handler in place of the answer.
 */
export function saveBeforeAnswer(response: Response, view: SessionView): void {
  const end = response.end as (...args: unknown[]) => Response
  let state: 'open' | 'saving' | 'saved' = 'open'
  const answer = (args: unknown[], error?: unknown): void => {
    state = 'saved'
    const isLost = error !== undefined && error !== null && !hasEnded(error)
    // The answer to an error stays; after Express's own last handler no other could follow.
    const isFinal = response.statusCode >= 500 || !view.next
    if (isLost && isFinal && !response.headersSent) {
      // express-session would try to save once more.
      view.session = undefined as unknown as SessionView['session']
      if (response.statusCode < 500) response.statusCode = 500
      end.apply(response, args)
      return
    }
    if (!isLost || response.headersSent) end.apply(response, args)
    else for (const name of ABANDONED) response.removeHeader(name)
    if (isLost) view.next?.(error)
  }
  const save = (args: unknown[]): void => {
    let isUnsaved: boolean
    try {
      isUnsaved = Boolean(view.session) && isChanged(view)
    } catch (error) {
      // Data that is no JSON, such as a circular structure. express-session would try it again.
      view.session = undefined as unknown as SessionView['session']
      answer(args, error)
      return
    }
    if (isUnsaved) view.session.save((error) => answer(args, error))
    else answer(args)
  }
  const endWhenSaved = (...args: unknown[]): Response => {
    if (state === 'saved') return end.apply(response, args)
    if (state === 'saving') return response
    state = 'saving'
    if (view.latchkeySaving) void view.latchkeySaving.then(() => save(args))
    else save(args)
    return response
  }
  response.end = endWhenSaved as Response['end']
}

/** Whether the session ended meanwhile: what was to be saved would have ended with it. */
export function hasEnded(error: unknown): boolean {
  return error instanceof SessionEndedError
}
