import type { ErrorRequestHandler } from 'express'
import { visits } from './visits.ts'

/**
 * Creates an error handler for the errors of the kit that your handlers throw: no user is logged in
 * (401), the user is not allowed (403), the store or the provider does not answer (503). Browsers
 * get an error page, API requests get problem details (RFC 9457). Add it after the routes. Other
 * errors are passed to the next error handler.
 */
export function answerErrors(): ErrorRequestHandler {
  return (error, req, res, next) => {
    const visit = visits.find(req)
    if (!visit || res.headersSent) return next(error)
    visit
      .answerError(error)
      .then((answer) => visit.send(answer))
      .catch(next)
  }
}
