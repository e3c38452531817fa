import { createApiKey, listApiKeys } from '../../../domain/keys/api-keys.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import { reason } from '../../../domain/writes/reasons/index.ts'
import type { Reach } from '../../../store/records.ts'
import {
  type Call,
  type ConsoleRoute,
  may,
  type Result,
  secretIn,
  serviceForm,
  servicePage,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import { keptNameIn, newKeptField } from '../../forms/kept-name.ts'
import { type Refused, refusedOnce } from '../../forms/refused.ts'
import { offerTenants, resolveTenants, sentTenants } from './tenant-choice.ts'
import { tenantNames } from './tenant-names.ts'

const PATH = '/console/keys'
const DAY_MICROS = 86_400 * 1e6

export const keyRoutes: readonly ConsoleRoute[] = [
  servicePage(PATH, (call) => showKeys(call)),
  servicePage(`${PATH}/new`, (call) => showNew(call), { needs: 'secrets' }),
  serviceForm(`${PATH}/new`, create, {
    needs: 'secrets',
    isDangerous: true,
  }),
  tenantPage('/keys', (call) => showKeys(call)),
  tenantPage('/keys/new', (call) => showNew(call), { needs: 'secrets' }),
  tenantForm('/keys/new', create, {
    needs: 'secrets',
    isDangerous: true,
  }),
]

const pathOf = ({ tenant }: Call) => (tenant ? `/console/t/${tenant.id}/keys` : PATH)

/**
 * Whether a key reaches only this tenant, so that an operator of the tenant may make and withdraw
 * it.
 */
const isOf = (reach: Reach, tenantId: string) => reach !== 'all' && reach.join() === tenantId

/** Shows the keys of the whole service, or those that reach only the tenant of the path. */
async function showKeys(call: Call | TenantCall): Promise<Result> {
  const { scope, tenant } = call
  const all = (await listApiKeys(scope)).reverse()
  const keys = tenant ? all.filter(({ reach }) => isOf(reach, tenant.id)) : all
  const named = await tenantNames(
    scope,
    keys.map(({ reach }) => reach),
  )
  const secret = secretIn(call, 'secret')
  return {
    kind: 'page',
    name: 'keys',
    title: 'API keys',
    ...(may(call, 'secrets') && {
      action: { href: `${pathOf(call)}/new`, label: 'Make a key' },
    }),
    data: {
      made: secret === undefined ? undefined : { name: secretIn(call, 'name') ?? '', secret },
      now: nowMicros(scope.context.clock),
      keys: keys.map((key) => ({ key, reach: named(key.reach) })),
      base: pathOf(call),
    },
    commands: [
      'latchkey-service key list',
      ...(keys.some(({ isUnconfirmed, revokedAt }) => isUnconfirmed && revokedAt === undefined)
        ? ['latchkey-service confirm']
        : []),
    ],
  }
}

async function showNew(call: Call | TenantCall, refused: Refused = {}): Promise<Result> {
  const { scope, operator, tenant, form } = call
  const sent = (name: string) => form.get(name) ?? ''
  const offer = tenant ? undefined : await offerTenants(scope, operator.operator.reach)
  return {
    kind: 'page',
    name: 'new-key',
    title: 'Make a key',
    data: {
      base: pathOf(call),
      keptName: newKeptField(),
      sent: {
        ...{ name: sent('name'), choice: offer?.(sentTenants(form)) },
        ...{ access: sent('access'), days: form.get('days') ?? '365' },
      },
    },
    commands: [
      `latchkey-service key create --name ci --tenant ${tenant?.id ?? '<id>'} --expires 2027-01-31`,
    ],
    ...refused,
  }
}

async function create(call: Call | TenantCall): Promise<Result> {
  const { scope, form, operator, tenant } = call
  const name = (form.get('name') ?? '').trim()
  const days = Number(form.get('days'))
  try {
    if (name === '') throw new ServiceError('invalid_request', reason('key_no_name'))
    if (!Number.isInteger(days) || days < 1 || days > 3_650) {
      throw new ServiceError('invalid_request', reason('key_days'))
    }
    const reach = tenant
      ? [tenant.id]
      : await resolveTenants(scope, operator.operator.reach, sentTenants(form))
    const readOnly = form.get('access') !== 'write'
    const expiresAt = nowMicros(scope.context.clock) + days * DAY_MICROS
    const input = { name, reach, readOnly, expiresAt }
    const { secret } = await createApiKey(scope, input, keptNameIn(form))
    return { kind: 'secrets', to: pathOf(call), secrets: { name, secret } }
  } catch (error) {
    return showNew(call, refusedOnce(error))
  }
}
