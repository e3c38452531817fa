import { listSigningKeys } from '../../../domain/keys/signing-keys.ts'
import {
  type Call,
  type ConsoleRoute,
  type Result,
  type TenantCall,
  tenantPage,
} from '../../calls/call.ts'

const PATH = '/signing-keys'

export const signingKeyRoutes: readonly ConsoleRoute[] = [tenantPage(PATH, showKeys)]

const pathOf = ({ ids }: Call) => `/console/t/${ids.tenant}${PATH}`

async function showKeys(call: TenantCall): Promise<Result> {
  const { scope, tenant } = call
  const keys = await listSigningKeys(scope)
  return {
    kind: 'page',
    name: 'signing-keys',
    title: 'Signing keys',
    tenant,
    data: { keys, base: pathOf(call) },
    commands: [
      `latchkey-service keys list --tenant ${tenant.id}`,
      `latchkey-service keys rotate --tenant ${tenant.id}`,
      `latchkey-service keys rotate --tenant ${tenant.id} --withdraw-earlier`,
    ],
  }
}
