import { LatchkeyError } from '@latchkey/core'
import { type ArgumentsHost, Catch, type HttpServer } from '@nestjs/common'
import { BaseExceptionFilter } from '@nestjs/core'
import { type Observable, throwError } from 'rxjs'
import { toGraphqlError } from './graphql.ts'
import { visits } from './visits.ts'

/**
 * Responds to errors of the kit that handlers throw. Over HTTP, the status is that of the error,
 * such as 401, 403 or 503, with an error page or problem details. In GraphQL, the response is a
 * GraphQL error.
 */
export class LatchkeyErrorFilter extends BaseExceptionFilter {
  readonly #adapter: HttpServer

  constructor(adapter: HttpServer) {
    super(adapter)
    this.#adapter = adapter
  }

  override catch(error: unknown, host: ArgumentsHost): Observable<never> | undefined {
    const type: string = host.getType()
    // For a message, Nest uses the error of the observable that a filter returns. In all other
    // cases, Nest uses the error that the filter throws.
    if (type === 'rpc' || type === 'ws') return throwError(() => error)
    if (type === 'graphql') throw toGraphqlError(error)
    if (type !== 'http') throw error
    const http = host.switchToHttp()
    const visit = visits.find(http.getRequest<object>())
    const failed = (cause: unknown): void => super.catch(cause, host)
    if (!visit || this.#adapter.isHeadersSent?.(http.getResponse())) failed(error)
    else
      visit
        .answerError(error)
        .then((answer) => visit.send(answer))
        .catch(failed)
    return undefined
  }
}

// The decorator is called as a function, because the sources run without a compiler that translates
// decorators.
Catch(LatchkeyError)(LatchkeyErrorFilter)
