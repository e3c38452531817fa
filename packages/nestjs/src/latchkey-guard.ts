import { LatchkeyError, type Requirement } from '@latchkey/core'
import type { CanActivate, ExecutionContext } from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import { ACCESS, type Access } from './decorators.ts'
import { visits } from './visits.ts'

const ANY_USER: Requirement<never, never> = {}
const reflector = new Reflector()

/** The guard of every handler: lets logged-in users through, and everyone where `@Public()` stands. */
export class LatchkeyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const requirement = requirementAt(context)
    if (!requirement) return true
    if (context.getType() !== 'http') throw otherThanHttp(context)
    const request = context.switchToHttp().getRequest<object>()
    const visit = visits.of<never>(request)
    const refusal = await visit.admit(requirement, request)
    if (!refusal) return true
    visit.send(refusal)
    // The request has its answer. With `false`, or an error, an exception filter would give another.
    return new Promise(() => {})
  }
}

/** The requirement of a handler, with that of its controller; `undefined` where it is public. */
function requirementAt(context: ExecutionContext): Requirement<never, never> | undefined {
  const own = reflector.get<Access | undefined>(ACCESS, context.getHandler())
  const shared = reflector.get<Access | undefined>(ACCESS, context.getClass())
  if ((own ?? shared) === 'public') return undefined
  const requirements = [shared, own].filter((one) => typeof one === 'object')
  const [only = ANY_USER] = requirements
  return requirements.length > 1 ? Object.assign({}, ...requirements) : only
}

function otherThanHttp(context: ExecutionContext): LatchkeyError {
  const handler = `${context.getClass().name}.${context.getHandler().name}()`
  return new LatchkeyError(
    'LATCHKEY_ROUTER_NOT_MOUNTED',
    `${handler} handles "${context.getType()}", which has not passed the login: the guard decides about HTTP alone. Put @Public() on it, and a guard of your own.`,
  )
}
