import type { Admission, Visit } from '@latchkey/core'
import type { ExecutionContext } from '@nestjs/common'
import { readMessage } from './gateways.ts'
import { readResolver } from './graphql.ts'
import { visits } from './visits.ts'

/**
 * Reads from the visit of a handler's request, GraphQL operation or message.
 *
 * @param read - Called with the visit and, for a resolver, the decision of its guard.
 */
export function readVisit(
  context: ExecutionContext,
  read: (
    visit: Visit<never, unknown>,
    admission?: Pick<Admission<never, unknown>, 'auth' | 'user'>,
  ) => unknown,
): unknown {
  switch (context.getType<string>()) {
    case 'graphql':
      return readResolver(context, read)
    case 'ws':
      return readMessage(context, read)
    default:
      return read(visits.of<never>(context.switchToHttp().getRequest<object>()))
  }
}
