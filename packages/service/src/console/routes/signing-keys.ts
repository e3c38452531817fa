import {
  listSigningKeys,
  RETIRED_KEY_DAYS,
  rotateSigningKey,
} from '../../domain/keys/signing-keys.ts'
import {
  type Call,
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../call.ts'

const PATH = '/signing-keys'

export const signingKeyRoutes: readonly ConsoleRoute[] = [
  tenantPage(PATH, showKeys),
  tenantForm(`${PATH}/rotate`, (call) => rotate(call, false), { isDangerous: true }),
  tenantForm(`${PATH}/withdraw`, (call) => rotate(call, true), { isDangerous: true }),
]

const pathOf = ({ ids }: Call) => `/console/t/${ids.tenant}${PATH}`

async function showKeys(call: TenantCall): Promise<Result> {
  const { scope, tenant } = call
  const keys = await listSigningKeys(scope)
  return {
    kind: 'page',
    name: 'signing-keys',
    title: 'Signing keys',
    tenant,
    data: { keys, days: RETIRED_KEY_DAYS, base: pathOf(call) },
    commands: [
      `latchkey-service keys list --tenant ${tenant.id}`,
      `latchkey-service keys rotate --tenant ${tenant.id}`,
      `latchkey-service keys rotate --tenant ${tenant.id} --withdraw-earlier`,
    ],
  }
}

async function rotate(call: TenantCall, withdrawEarlier: boolean): Promise<Result> {
  await rotateSigningKey(call.scope, { withdrawEarlier })
  return redirectTo(pathOf(call), withdrawEarlier ? 'keys-withdrawn' : 'rotated')
}
