import type {
  Auth,
  AuthRequest,
  AuthResponse,
  MaybePromise,
  RequestAuth,
  RequestPort,
  Requirement,
  StoredSession,
} from '@latchkey/core'
import { markPrivate, writeResponse } from '@latchkey/core/node'
import type { Request, Response } from 'express'
import type { SessionView } from './view-store.ts'

/**
 * What a router keeps about a request, for the guards that follow and for `req.session`.
 *
 * Its fields are private, so that printing a request, as error reporters do, prints no secret.
 */
export class RequestState implements RequestPort {
  readonly #auth: Auth
  readonly #request: AuthRequest
  readonly #session: StoredSession
  readonly #response: Response
  /** The request as express-session sees it, once `req.session` has been touched. */
  #view: SessionView | undefined
  #isPrivate = false

  constructor(auth: Auth, request: AuthRequest, session: StoredSession, response: Response) {
    this.#auth = auth
    this.#request = request
    this.#session = session
    this.#response = response
  }

  get session(): StoredSession {
    return this.#session
  }

  get response(): Response {
    return this.#response
  }

  get view(): SessionView | undefined {
    return this.#view
  }

  set view(view: SessionView) {
    this.#view = view
  }

  /** Answers the request when it is for a route of the kit; `undefined` for every other. */
  handle(): Promise<AuthResponse> | undefined {
    return this.#auth.handle(this.#request, this.#session)
  }

  /** Describes the request for the application. */
  describe(): MaybePromise<RequestAuth> {
    return this.#auth.describe(this.#request, this.#session, this)
  }

  /** Decides whether the request may go on; see `Auth.authorize`. */
  authorize(
    requirement: Requirement<Request>,
    req: Request,
  ): MaybePromise<AuthResponse | undefined> {
    return this.#auth.authorize(this.#request, this.#session, requirement, req)
  }

  sessionUsed(): void {
    if (this.#isPrivate) return
    this.#isPrivate = true
    markPrivate(this.#response)
  }

  send(response: AuthResponse): void {
    writeResponse(this.#response, response, this.#session.setCookies)
  }
}

const states = Symbol('latchkey')

interface WithState {
  [states]?: RequestState
}

/** Remembers the state of the router that a request passed last. */
export function setState(req: Request, state: RequestState): void {
  ;(req as WithState)[states] = state
}

/** The state of the router that a request passed last, if it passed one. */
export function getState(req: Request): RequestState | undefined {
  return (req as WithState)[states]
}
