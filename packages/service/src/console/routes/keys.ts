import { createApiKey, listApiKeys, revokeApiKey } from '../../domain/keys/api-keys.ts'
import { nowMicros } from '../../domain/writes/context.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import {
  type Call,
  type ConsoleRoute,
  type Result,
  redirectTo,
  serviceForm,
  servicePage,
} from '../call.ts'

const PATH = '/console/keys'
const DAY_MICROS = 86_400 * 1e6

export const keyRoutes: readonly ConsoleRoute[] = [
  servicePage(PATH, (call) => showKeys(call)),
  serviceForm(PATH, create, { isDangerous: true }),
  serviceForm(`${PATH}/:key/withdraw`, withdraw),
]

async function showKeys(
  call: Call,
  more: { made?: { name: string; secret: string }; problem?: string; status?: number } = {},
): Promise<Result> {
  const { scope } = call
  const { made, ...outcome } = more
  return {
    kind: 'page',
    name: 'keys',
    title: 'API keys',
    ...(call.operator.operator.role !== 'viewer' && {
      action: { href: '#new', label: 'Make a key' },
    }),
    data: {
      made,
      now: nowMicros(scope.context.clock),
      keys: (await listApiKeys(scope)).reverse(),
    },
    commands: [
      'latchkey-service key list',
      'latchkey-service key create --name ci --tenant <id> --expires 2027-01-31',
    ],
    ...outcome,
  }
}

async function create(call: Call): Promise<Result> {
  const { scope, form } = call
  const name = (form.get('name') ?? '').trim()
  const ids = (form.get('tenants') ?? '').split(/[\s,]+/).filter((id) => id !== '')
  const days = Number(form.get('days'))
  try {
    if (name === '') throw new ServiceError('invalid_request', 'Give the key a name.')
    if (!Number.isInteger(days) || days < 1 || days > 3_650) {
      throw new ServiceError(
        'invalid_request',
        'Give the days for which the key is good: 1 to 3650.',
      )
    }
    const { secret } = await createApiKey(scope, {
      name,
      reach: form.get('reach') === 'all' ? 'all' : ids,
      readOnly: form.get('access') !== 'write',
      expiresAt: nowMicros(scope.context.clock) + days * DAY_MICROS,
    })
    return await showKeys(call, { made: { name, secret } })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.statusCode >= 500) throw error
    const problem =
      error.code === 'not_found' ? 'There is no tenant with one of these ids.' : error.message
    return showKeys(call, { problem, status: 422 })
  }
}

async function withdraw({ scope, ids }: Call): Promise<Result> {
  await revokeApiKey(scope, ids.key ?? '')
  return redirectTo(PATH, 'withdrawn')
}
