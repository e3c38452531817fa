import type { ErrorRequestHandler } from 'express'
import { visits } from './visits.ts'

/**
 * An error handler for errors of the kit that handlers throw: no user is logged in (401), the user is
 * not allowed (403), the store or the provider does not answer (503). A browser gets a page, a program
 * problem details. Put it behind the routes; every other error goes on to the next handler.
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
