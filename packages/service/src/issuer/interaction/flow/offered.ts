import { offeredConnections } from '../../../domain/connections/connections.ts'
import { hasWayIn } from '../../../domain/ways/login-methods.ts'
import type { ShownConnections } from '../../../pages/index.ts'
import type { Connection } from '../../../store/records.ts'
import { flowPath } from './flow-path.ts'
import type { FlowRequest, InteractionRequest } from './flow-request.ts'

/** The connections at which users of the tenant can log in now. */
export function offered({ context, tenant }: FlowRequest): Promise<Connection[]> {
  return offeredConnections(context.domain, tenant)
}

/** The connection with this id, if users can log in with it now. */
export async function offeredWith(
  flow: FlowRequest,
  id: string | undefined,
): Promise<Connection | undefined> {
  return (await offered(flow)).find((connection) => connection.id === id)
}

/** The buttons for providers on the login form. */
export async function shownConnections(flow: InteractionRequest): Promise<ShownConnections> {
  const connections = (await offered(flow)).map(({ id, name }) => ({ id, name }))
  return { action: flowPath(flow.interaction, '/social'), connections }
}

/** Whether the tenant has any login method. */
export async function isLoginOn(flow: FlowRequest): Promise<boolean> {
  return hasWayIn(flow.tenant.settings, await offered(flow))
}
