import { offeredConnections } from '../../domain/connections.ts'
import { hasWayIn } from '../../domain/login-methods.ts'
import type { Connection } from '../../store/records.ts'
import type { FlowRequest } from './flow-request.ts'

/** The connections at which users of the tenant can log in now. */
export function offered({ context, tenant }: FlowRequest): Promise<Connection[]> {
  return offeredConnections(context.domain, tenant)
}

/** The connection with this id, if users can log in by it now. */
export async function offeredWith(
  flow: FlowRequest,
  id: string | undefined,
): Promise<Connection | undefined> {
  return (await offered(flow)).find((connection) => connection.id === id)
}

/** Whether there is any way to log in at the tenant. */
export async function isLoginOn(flow: FlowRequest): Promise<boolean> {
  return hasWayIn(flow.tenant.settings, await offered(flow))
}
