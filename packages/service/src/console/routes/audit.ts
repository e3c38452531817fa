import { listAudit } from '../../domain/audit.ts'
import type { Scope } from '../../domain/context.ts'
import type { AuditQuery } from '../../store/ports.ts'
import { type Call, type ConsoleRoute, type Result, servicePage, tenantPage } from '../call.ts'

export const auditRoutes: readonly ConsoleRoute[] = [
  servicePage('/console/audit', (call) => show(call, {})),
  tenantPage('/audit', (call: Call<Scope>) => show(call, { tenantId: call.scope.tenantId })),
]

async function show({ scope, query }: Call, within: AuditQuery): Promise<Result> {
  const target = (query.get('target') ?? '').trim()
  const requestId = (query.get('request') ?? '').trim()
  const entries = await listAudit(scope.context, {
    ...within,
    ...(target !== '' && { target }),
    ...(requestId !== '' && { requestId }),
    limit: 100,
  })
  const { tenantId } = within
  return {
    kind: 'page',
    name: 'audit',
    title: 'Audit log',
    tenant: tenantId === undefined ? undefined : { id: tenantId, name: '' },
    data: {
      entries,
      target,
      requestId,
      action: tenantId === undefined ? '/console/audit' : `/console/t/${tenantId}/audit`,
    },
    commands: [`latchkey-service audit${tenantId === undefined ? '' : ` --tenant ${tenantId}`}`],
  }
}
