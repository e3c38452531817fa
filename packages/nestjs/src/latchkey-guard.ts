import { LatchkeyError } from '@latchkey/core'
import type { CanActivate, ExecutionContext } from '@nestjs/common'
import { accessOf, firstRefusal, type HandlerAccess, isPublic } from './access.ts'
import type { Connections } from './connections.ts'
import { admitMessage } from './gateways.ts'
import { admitResolver } from './graphql.ts'
import { visits } from './visits.ts'

/**
 * The guard of every handler. It lets in users who meet the requirement of the handler, and all
 * visitors if the handler has `@Public()`.
 */
export class LatchkeyGuard implements CanActivate {
  readonly #connections: Connections

  constructor(connections: Connections) {
    this.#connections = connections
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context.getHandler(), context.getClass())
    switch (context.getType<string>()) {
      case 'http':
        return admitRequest(context, access)
      case 'graphql':
        return admitResolver(context, access, this.#connections)
      case 'ws':
        return admitMessage(context, access, this.#connections)
      default:
        mustBePublic(context)
        return true
    }
  }
}

async function admitRequest(context: ExecutionContext, access: HandlerAccess): Promise<boolean> {
  if (access === 'public') return true
  const request = context.switchToHttp().getRequest<object>()
  const visit = visits.of<never>(request)
  const refusal = await firstRefusal(access, (requirement) => visit.admit(requirement, request))
  if (!refusal) return true
  visit.send(refusal)
  // The response is already sent. If the guard returned `false` or threw an error, an exception
  // filter would send another response.
  return new Promise(() => {})
}

/**
 * Refuses a message that has not passed the login, unless its handler is public.
 *
 * @throws {@link LatchkeyError} with `LATCHKEY_ROUTER_NOT_MOUNTED`.
 */
export function mustBePublic(context: ExecutionContext): void {
  if (isPublic(context.getHandler(), context.getClass())) return
  const handler = `${context.getClass().name}.${context.getHandler().name}()`
  throw new LatchkeyError(
    'LATCHKEY_ROUTER_NOT_MOUNTED',
    `${handler} handles "${context.getType()}", which has not passed the login: the guard decides about HTTP, GraphQL and gateways. Put @Public() on it, and a guard of your own.`,
  )
}
