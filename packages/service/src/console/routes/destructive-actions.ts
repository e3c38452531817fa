import { isDeepStrictEqual } from 'node:util'
import {
  deleteApplication,
  getApplication,
  listApplications,
  rotateApplicationSecret,
  SECRET_OVERLAP_SECONDS,
} from '../../domain/applications/applications.ts'
import {
  countConnected,
  deleteConnection,
  getConnection,
  updateConnection,
} from '../../domain/connections/connections.ts'
import { sentenceOf } from '../../domain/factors/obstacle-sentences.ts'
import { listApiKeys, revokeApiKey } from '../../domain/keys/api-keys.ts'
import {
  listSigningKeys,
  RETIRED_KEY_DAYS,
  rotateSigningKey,
} from '../../domain/keys/signing-keys.ts'
import {
  ableOwners,
  listOperators,
  removeOperator,
  setOperatorDisabled,
} from '../../domain/operators/operators.ts'
import { countStrandedBy } from '../../domain/operators/tenant-effects.ts'
import { deleteTenant } from '../../domain/tenants/tenants.ts'
import { listCredentials } from '../../domain/users/credentials.ts'
import { countWaysIn } from '../../domain/users/legacy-passwords.ts'
import { deleteUser, getUser, listUsers, setDisabled } from '../../domain/users/users.ts'
import { removeByOperator } from '../../domain/ways/account-changes.ts'
import { allowedFactors } from '../../domain/ways/login-methods.ts'
import { nowMicros } from '../../domain/writes/context.ts'
import { found, notFound, ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import { credentialKinds } from '../../resources/credentials.ts'
import type { ApiKey, Credential } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { deleteWebhook, getWebhook, rotateSecret } from '../../webhooks/rules.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'
import {
  type Call,
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
} from '../calls/call.ts'
import {
  type DestructiveAction,
  serviceActions,
  tenantActions,
} from '../calls/destructive-actions.ts'
import type { Consequences } from '../pages/index.ts'
import { asIs, many, message, type Sentence, type Text } from '../texts/index.ts'
import { webhookPath } from './tenant/webhooks.ts'

const KEYS = '/console/keys'
const OPERATORS = '/console/operators'
const NO_ITEMS = { after: undefined, limit: 1 }

const tenantPath = ({ tenant }: TenantCall) => `/console/t/${tenant.id}`
const userPath = (call: TenantCall) => `${tenantPath(call)}/users/${call.ids.user}`
const applicationPath = (call: TenantCall) =>
  `${tenantPath(call)}/applications/${call.ids.application}`
const connectionPath = (call: TenantCall) =>
  `${tenantPath(call)}/connections/${call.ids.connection}`

/**
 * The version of the object that the page of the form has shown. A form without it is of no
 * version.
 */
const readAtOf = ({ form }: Call) => Number(form.get('read_at'))

/** The sentence about the number of sessions that end. */
const ending = (sessions: number): Text =>
  sessions === 0
    ? 'No session is open, so none ends.'
    : many(
        sessions,
        'Ends one session at once, with its tokens.',
        'Ends {count} sessions at once, with their tokens.',
      )

const onService: readonly DestructiveAction[] = [
  {
    path: `${KEYS}/:key/withdraw`,
    title: 'Withdraw an API key',
    button: 'Withdraw the key',
    needs: 'secrets',
    // A leaked key has to be withdrawn at once, and an attacker gains nothing by withdrawing one.
    isDangerous: false,
    look: (call) => lookAtKey(call, KEYS),
    run: (call) => withdrawKey(call, KEYS),
  },
  {
    path: `${OPERATORS}/:operator/disable`,
    title: 'Disable an operator',
    button: 'Disable the operator',
    needs: 'operators',
    async look(call) {
      const { email: _, ...operator } = await lookAtOperator(call)
      return { ...operator, commands: ['latchkey-service operator list'] }
    },
    async run({ scope, ids }) {
      await setOperatorDisabled(scope, ids.operator ?? '', true)
      return redirectTo(OPERATORS, 'disabled')
    },
  },
  {
    path: `${OPERATORS}/:operator/remove`,
    title: 'Remove an operator',
    button: 'Remove the operator',
    needs: 'operators',
    async look(call) {
      const { effects, email, ...operator } = await lookAtOperator(call)
      const label: Sentence = 'Enter the address of the operator to confirm'
      return {
        ...operator,
        effects: [
          ...effects,
          'The password, passkeys and other ways to log in go with the operator. Entries of the audit log stay.',
        ],
        typed: { label, name: email },
        commands: [`latchkey-service operator remove ${operator.id}`],
      }
    },
    async run({ scope, ids }) {
      await removeOperator(scope, ids.operator ?? '')
      return redirectTo(OPERATORS, 'removed')
    },
  },
]

async function lookAtKey({ scope, ids }: Call, back: string): Promise<Consequences> {
  const { id, name, reach, readOnly, lastUsedAt } = await keyOf(scope, ids)
  const where =
    reach === 'all' ? message('all tenants') : many(reach.length, 'one tenant', '{count} tenants')
  return {
    name: asIs(name),
    id,
    effects: [
      'Programs that use it get the answer 401 at once.',
      message(readOnly ? 'It can read in {where}.' : 'It can read and write in {where}.', {
        where,
      }),
      lastUsedAt === undefined
        ? 'It was never used.'
        : message('It was used last at {time} UTC.', {
            time: formatTimestamp(lastUsedAt).slice(0, 16).replace('T', ' '),
          }),
      'A withdrawn key stays withdrawn; make another one in its place.',
    ],
    back,
    commands: [`latchkey-service key revoke ${id}`],
  }
}

async function withdrawKey({ scope, ids }: Call, back: string): Promise<Result> {
  const { id } = await keyOf(scope, ids)
  await revokeApiKey(scope, id)
  return redirectTo(back, 'withdrawn')
}

/**
 * The API key of the path. On the pages of a tenant, a key that reaches other tenants too is not
 * found.
 */
async function keyOf(scope: Call['scope'], ids: Call['ids']): Promise<ApiKey> {
  const key = found((await listApiKeys(scope)).find(({ id }) => id === ids.key))
  const { tenant } = ids
  if (tenant !== undefined && (key.reach === 'all' || key.reach.join() !== tenant)) throw notFound()
  return key
}

async function lookAtOperator({
  scope,
  support,
  ids,
}: Call): Promise<Omit<Consequences, 'commands'> & { email: string; id: string }> {
  const operators = await listOperators(scope)
  const { operator, user } = found(operators.find((one) => one.operator.id === ids.operator))
  const sessions = await support.sessions({ ...scope, tenantId: SYSTEM_TENANT_ID }, operator.id)
  const owners = ableOwners(operators).filter((one) => one.operator.id !== operator.id)
  return {
    name: asIs(user.email),
    email: user.email,
    id: operator.id,
    effects: [
      ending(sessions.length),
      ...(operator.role === 'owner'
        ? [
            many(
              owners.length,
              'The operator is an owner; one owner can log in after that.',
              'The operator is an owner; {count} owners can log in after that.',
            ),
          ]
        : []),
    ],
    back: OPERATORS,
  }
}

const onTenant: readonly DestructiveAction<TenantCall>[] = [
  {
    path: '/webhooks/:webhook/disable',
    title: 'Switch an endpoint off',
    button: 'Switch it off',
    isDangerous: false,
    look: (call) =>
      lookAtWebhook(call, 'disable', [
        'It gets no events. Those that wait are sent when it is switched on again, for 30 days.',
      ]),
    async run(call) {
      const { scope, webhooks, ids } = call
      const { url, description, types, metadata } = await getWebhook(scope, ids.webhook ?? '')
      const off = { url, description, types, metadata, disabled: true }
      await webhooks.update(scope, ids.webhook ?? '', off)
      return redirectTo(webhookPath(call), 'saved')
    },
  },
  {
    path: '/webhooks/:webhook/rotate',
    title: 'Make a new secret for an endpoint',
    button: 'Make a new secret',
    needs: 'secrets',
    look: (call) =>
      lookAtWebhook(call, 'rotate', [
        'The new secret is shown once, on the next page.',
        'For 24 hours events are signed with both secrets; after that, with the new one alone.',
        'A secret from before the current one signs no event any more.',
      ]),
    async run(call) {
      const { secret } = await rotateSecret(call.scope, call.ids.webhook ?? '', readAtOf(call))
      return { kind: 'secrets', to: webhookPath(call), secrets: { secret } }
    },
  },
  {
    path: '/webhooks/:webhook/remove',
    title: 'Delete an endpoint',
    button: 'Delete the endpoint',
    look: (call) =>
      lookAtWebhook(call, 'delete', [
        'It gets no events any more, and events that wait for it are dropped.',
        'Its secret and the list of its events go with it.',
      ]),
    async run(call) {
      await deleteWebhook(call.scope, call.ids.webhook ?? '')
      return redirectTo(`${tenantPath(call)}/webhooks`, 'removed')
    },
  },
  {
    path: '/keys/:key/withdraw',
    title: 'Withdraw an API key',
    button: 'Withdraw the key',
    needs: 'secrets',
    isDangerous: false,
    look: (call) => lookAtKey(call, `${tenantPath(call)}/keys`),
    run: (call) => withdrawKey(call, `${tenantPath(call)}/keys`),
  },
  {
    path: '/delete',
    title: 'Delete the tenant',
    button: 'Delete the tenant',
    async look(call) {
      const { scope, tenant } = call
      const [users, applications] = await Promise.all([
        listUsers(scope, NO_ITEMS),
        listApplications(scope, NO_ITEMS),
      ])
      return {
        name: asIs(tenant.settings.domain),
        id: tenant.id,
        effects: [
          message('{users}, {applications}, connections and signing keys go with it.', {
            users: many(users.total, 'One user', '{count} users'),
            applications: many(applications.total, 'one application', '{count} applications'),
          }),
          'All logins end as soon as you confirm; the rows are erased in the background.',
          'A new tenant can have the domain at once, an existing one after 30 days. Entries of the audit log stay.',
        ],
        typed: {
          label: 'Enter the domain of the tenant to confirm',
          name: tenant.settings.domain,
        },
        back: tenantPath(call),
        commands: [`latchkey-service tenant delete ${tenant.id} --yes`],
      }
    },
    async run({ scope }) {
      await deleteTenant(scope)
      return redirectTo('/console/tenants', 'tenant_deleted')
    },
  },
  {
    path: '/users/:user/disable',
    title: 'Disable a user',
    button: 'Disable the user',
    isDangerous: false,
    async look(call) {
      const { scope, support, ids, tenant } = call
      const user = await getUser(scope, ids.user ?? '')
      const sessions = await support.sessions(scope, user.id)
      return {
        name: asIs(user.email),
        id: user.id,
        effects: [
          ending(sessions.length),
          'The user cannot log in until an operator enables the account again. Nothing is deleted.',
        ],
        back: userPath(call),
        commands: [`latchkey users update ${user.id} --tenant ${tenant.id} --set disabled=true`],
      }
    },
    async run(call) {
      await setDisabled(call.scope, call.ids.user ?? '', true)
      return redirectTo(userPath(call), 'disabled')
    },
  },
  {
    path: '/users/:user/ways/:credential/remove',
    title: 'Remove a way to log in',
    button: 'Remove it',
    look: lookAtCredential,
    async run(call) {
      await removeByOperator(call.scope, call.ids.user ?? '', call.ids.credential ?? '')
      return redirectTo(userPath(call), 'removed')
    },
  },
  {
    path: '/users/:user/delete',
    title: 'Delete a user',
    button: 'Delete the user',
    async look(call) {
      const { scope, support, ids, tenant } = call
      const id = ids.user ?? ''
      const [user, ways, sessions] = await Promise.all([
        getUser(scope, id),
        countWaysIn(scope, id),
        support.sessions(scope, id),
      ])
      return {
        name: asIs(user.email),
        id,
        effects: [
          many(
            ways,
            'The profile, the metadata and one way to log in go with the user. Entries of the audit log stay.',
            'The profile, the metadata and {count} ways to log in go with the user. Entries of the audit log stay.',
          ),
          ending(sessions.length),
        ],
        typed: { label: 'Enter the address of the user to confirm', name: user.email },
        back: userPath(call),
        commands: [`latchkey users delete ${id} --tenant ${tenant.id}`],
      }
    },
    async run(call) {
      await deleteUser(call.scope, call.ids.user ?? '')
      return redirectTo(`${tenantPath(call)}/users`, 'user_deleted')
    },
  },
  {
    path: '/applications/:application/rotate',
    title: 'Rotate the client secret',
    button: 'Make a new secret',
    needs: 'secrets',
    async look(call) {
      const application = await getApplication(call.scope, call.ids.application ?? '')
      return {
        name: asIs(application.name || application.id),
        id: application.id,
        effects: [
          'The application has to be deployed with the new secret while the earlier one is still accepted. Then its logins fail with the earlier one.',
          'Users who are logged in notice nothing. A secret from before the current one stops at once.',
        ],
        field: {
          name: 'overlap_hours',
          label: 'Accept the earlier secret for how many hours',
          hint: 'Both secrets work until then. Enter 0 if the earlier one may have leaked.',
          value: SECRET_OVERLAP_SECONDS / 3_600,
          max: 8_760,
        },
        readAt: application.updatedAt,
        back: applicationPath(call),
        commands: [
          `latchkey-service application rotate-secret ${application.id} --tenant ${call.tenant.id} --overlap-hours 24`,
        ],
      }
    },
    async run(call) {
      const hours = Number(call.form.get('overlap_hours') ?? Number.NaN)
      if (!Number.isInteger(hours) || hours < 0 || hours > 8_760) {
        throw new ServiceError('invalid_request', reason('secret_hours'))
      }
      const rotation = { overlapSeconds: hours * 3_600 }
      const id = call.ids.application ?? ''
      await rotateApplicationSecret(call.scope, id, rotation, readAtOf(call))
      return redirectTo(applicationPath(call), 'secret-rotated')
    },
  },
  {
    path: '/applications/:application/delete',
    title: 'Delete an application',
    button: 'Delete the application',
    async look(call) {
      const application = await getApplication(call.scope, call.ids.application ?? '')
      const { id, name, redirectUrls } = application
      return {
        name: asIs(name || id),
        id,
        effects: [
          many(
            redirectUrls.length,
            'Logins end at once at one redirect URL, and the tokens of the application cannot be renewed.',
            'Logins end at once at {count} redirect URLs, and the tokens of the application cannot be renewed.',
          ),
          'The users of the tenant stay.',
        ],
        typed: { label: 'Enter the name of the application to confirm', name: name || id },
        back: applicationPath(call),
        commands: [`latchkey applications delete ${id} --tenant ${call.tenant.id}`],
      }
    },
    async run(call) {
      await deleteApplication(call.scope, call.ids.application ?? '')
      return redirectTo(`${tenantPath(call)}/applications`, 'removed')
    },
  },
  {
    path: '/connections/:connection/disable',
    title: 'Disable a connection',
    button: 'Disable the connection',
    isDangerous: false,
    async look(call) {
      const { effects, called: _, ...connection } = await lookAtConnection(call)
      const given = `${connection.id} --tenant ${call.tenant.id}`
      return {
        ...connection,
        effects: [...effects, 'They get in again when it is enabled. Sessions go on.'],
        commands: [`latchkey-service connection update ${given} --no-enabled`],
      }
    },
    async run(call) {
      await updateConnection(call.scope, call.ids.connection ?? '', { enabled: false })
      return redirectTo(connectionPath(call), 'connection-disabled')
    },
  },
  {
    path: '/connections/:connection/remove',
    title: 'Remove a connection',
    button: 'Remove the connection',
    async look(call) {
      const { effects, called, ...connection } = await lookAtConnection(call)
      const label: Sentence = 'Enter the name of the connection to confirm'
      return {
        ...connection,
        effects: [
          ...effects,
          'They keep their accounts here. Their accounts at the provider are connected no longer.',
        ],
        typed: { label, name: called },
        commands: [
          `latchkey-service connection remove ${connection.id} --tenant ${call.tenant.id} --yes`,
        ],
      }
    },
    async run(call) {
      await deleteConnection(call.scope, call.ids.connection ?? '')
      return redirectTo(`${tenantPath(call)}/connections`, 'removed')
    },
  },
  {
    path: '/signing-keys/rotate',
    title: 'Rotate the signing key',
    button: 'Make a new key',
    needs: 'secrets',
    async look(call) {
      const { keys, ...page } = await lookAtKeys(call)
      return {
        ...page,
        effects: [
          many(
            keys,
            'A new key signs from now on. One earlier key stays published, and goes at a rotation {days} days after the last signature.',
            'A new key signs from now on. {count} earlier keys stay published, and go at a rotation {days} days after the last signature.',
            { days: RETIRED_KEY_DAYS },
          ),
          'No session and no token ends. Applications read the new key when they see it first.',
        ],
        commands: [`latchkey-service keys rotate --tenant ${call.tenant.id}`],
      }
    },
    async run(call) {
      await rotateSigningKey(call.scope, { withdrawEarlier: false })
      return redirectTo(`${tenantPath(call)}/signing-keys`, 'rotated')
    },
  },
  {
    path: '/signing-keys/withdraw',
    title: 'Withdraw the earlier signing keys',
    button: 'Withdraw the earlier keys',
    needs: 'secrets',
    async look(call) {
      const { keys, ...page } = await lookAtKeys(call)
      return {
        ...page,
        effects: [
          many(
            keys,
            'A new key signs from now on, and one earlier key is published no longer.',
            'A new key signs from now on, and {count} earlier keys are published no longer.',
          ),
          'Sessions and refresh tokens go on. Tokens that an earlier key has signed are refused, also by applications once they read the keys again.',
        ],
        typed: {
          label: 'Enter the domain of the tenant to confirm',
          name: call.tenant.settings.domain,
        },
        commands: [`latchkey-service keys rotate --tenant ${call.tenant.id} --withdraw-earlier`],
      }
    },
    async run(call) {
      await rotateSigningKey(call.scope, { withdrawEarlier: true })
      return redirectTo(`${tenantPath(call)}/signing-keys`, 'keys-withdrawn')
    },
  },
]

/** The pages and forms of all destructive actions. */
export const destructiveActionRoutes: readonly ConsoleRoute[] = [
  ...serviceActions(onService),
  ...tenantActions(onTenant),
]

async function lookAtCredential(call: TenantCall): Promise<Consequences> {
  const { scope, support, ids, tenant } = call
  const id = ids.user ?? ''
  const all = { after: undefined, limit: 100 }
  const [user, { items }] = await Promise.all([getUser(scope, id), listCredentials(scope, id, all)])
  const one = found(items.find((credential) => credential.id === ids.credential))
  const left = items.filter((credential) => credential !== one)
  const [now, then] = await Promise.all([
    support.stateOf(tenant, user, items),
    support.stateOf(tenant, user, left),
  ])
  const at = nowMicros(scope.context.clock)
  const before = now.obstacles.map((obstacle) => sentenceOf(obstacle, at))
  const after = then.obstacles.map((obstacle) => sentenceOf(obstacle, at))
  const factors = (credentials: readonly Credential[]) =>
    credentials.filter((credential) =>
      allowedFactors(tenant.settings).some((kind) => kind === credential.kind),
    )
  const isLastFactor = factors(items).length > 0 && factors(left).length === 0
  return {
    name: message('{way} of {user}', {
      way: message(credentialKinds[one.kind].label),
      user: user.email,
    }),
    id: one.id,
    effects: [
      ending(now.sessions.length),
      ...(isLastFactor ? [message('No second step is left: the first one alone gets in.')] : []),
      ...after.filter((one) => !before.some((other) => isDeepStrictEqual(one, other))),
    ],
    back: userPath(call),
    commands: [`latchkey credentials delete ${one.id} --user ${id} --tenant ${tenant.id}`],
  }
}

async function lookAtConnection(
  call: TenantCall,
): Promise<Omit<Consequences, 'commands'> & { called: string; id: string }> {
  const { scope, tenant } = call
  const id = call.ids.connection ?? ''
  const [connection, users, stranded] = await Promise.all([
    getConnection(scope, id),
    countConnected(scope, id),
    countStrandedBy(scope, tenant.settings, id),
  ])
  const remedy: Sentence = tenant.settings.allowPasswords
    ? 'They can set a password by a mailed link.'
    : 'They cannot log in any more.'
  const alone = many(
    stranded,
    'One user has no other way to log in.',
    '{count} users have no other way to log in.',
  )
  return {
    name: asIs(connection.name),
    called: connection.name,
    id,
    effects: [
      many(
        users,
        'One user can’t log in with it any more.',
        '{count} users can’t log in with it any more.',
      ),
      ...(stranded === 0 ? [] : [alone, remedy]),
    ],
    back: connectionPath(call),
  }
}

async function lookAtKeys(call: TenantCall) {
  const keys = await listSigningKeys(call.scope)
  return {
    keys: keys.length,
    name: asIs(call.tenant.settings.domain),
    id: call.tenant.id,
    back: `${tenantPath(call)}/signing-keys`,
  }
}

async function lookAtWebhook(
  call: TenantCall,
  command: 'disable' | 'rotate' | 'delete',
  effects: Sentence[],
): Promise<Consequences> {
  const { id, url, updatedAt } = await getWebhook(call.scope, call.ids.webhook ?? '')
  return {
    ...{ name: asIs(url), id, effects, back: webhookPath(call) },
    readAt: command === 'rotate' ? updatedAt : undefined,
    commands: [`latchkey webhooks ${command} ${id} --tenant ${call.tenant.id}`],
  }
}
