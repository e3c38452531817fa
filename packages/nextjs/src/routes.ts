import { AsyncLocalStorage } from 'node:async_hooks'
import type { Auth, Requirement, Visit } from '@latchkey/core'
import { requirementOf } from '@latchkey/core/adapter'
import { afterInterrupt, outsideOfNext } from './interrupts.ts'
import { beginsNoLogin, noLogin } from './no-navigation.ts'
import { untilAsked } from './until-asked.ts'

type MaybePromise<T> = T | Promise<T>

/** A route handler of Next.js. */
export type RouteHandler<Context = unknown, Answer = MaybePromise<Response>> = (
  request: Request,
  context: Context,
) => Answer

interface Running<U> {
  readonly visit: Visit<U, Response>
  readonly request: Request
}

type Given<U, Context> =
  | [handle: RouteHandler<Context>]
  | [requirement: Requirement<Request, U>, handle: RouteHandler<Context>]

/** The route handlers of an application. */
export interface Routes<U> {
  route<Context>(...given: Given<U, Context>): RouteHandler<Context, Promise<Response>>
  readonly handlers: { readonly GET: RouteHandler; readonly POST: RouteHandler }
  /** The visit of the running handler; `undefined` outside of a handler. */
  running(): Visit<U, Response> | undefined
  /** The request of the running handler; `undefined` outside of a handler. */
  request(): Request | undefined
}

/** Creates the route handlers of an application. */
export function createRoutes<U>(auth: () => Auth<U>): Routes<U> {
  const running = new AsyncLocalStorage<Running<U>>()
  const serve = <Context>(
    handle: RouteHandler<Context>,
    requirement?: Requirement<Request, U>,
  ): RouteHandler<Context, Promise<Response>> => {
    return async (request, context) => {
      await untilAsked().catch(outsideOfNext)
      if (beginsNoLogin(request, auth())) return noLogin()
      const next = async (visit: Visit<U, Response>): Promise<Response> => {
        const refusal = requirement && (await visit.admit(requirement, request))
        if (refusal) return visit.send(refusal)
        try {
          return await running.run({ visit, request }, () => handle(request, context))
        } catch (error) {
          return afterInterrupt(error, visit.session.setCookies)
        }
      }
      return auth().fetch(request, next, { exchange: { request } })
    }
  }
  const notFound = serve(() => new Response('Not found', { status: 404 }))
  return {
    route(...given) {
      if (given.length === 1) return serve(given[0])
      const [requirement, handle] = given
      return serve(handle, requirementOf<Requirement<Request, U>>([requirement]))
    },
    handlers: { GET: notFound, POST: notFound },
    running: () => running.getStore()?.visit,
    request: () => running.getStore()?.request,
  }
}
