import {
  type Adapter,
  type AdapterFactory,
  type AdapterPayload,
  errors,
  Provider,
} from 'oidc-provider'
import type { Clock } from '../../clock.ts'
import { CLIENT_KEYS_URI_KEY } from '../../domain/applications/application-profile.ts'
import { isDocumentId, isRegisteredId } from '../../domain/tenants/client-documents.ts'
import { nowMicros } from '../../domain/writes/context.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import { entryName, type ProtocolEntry, type Renewal } from '../../store/protocol-store.ts'
import { accountClient } from '../account/client.ts'
import type { IssuerContext } from '../context.ts'
import { isOfDevice } from '../engine/device-code.ts'
import type { StoredForm } from '../engine/session.ts'
import { jwtParts } from '../requests/jwt-parts.ts'
import { isTooLongToKeep } from '../requests/parameter-limits.ts'
import { ACCOUNT_CLIENT } from '../requests/paths.ts'
import { factsOf } from '../requests/request-facts.ts'
import { changesOver, storedForm } from '../sessions/session-changes.ts'
import { addRegistered, findRegistered } from './clients/registrations.ts'
import { commandClient, isCommand } from './command-logins.ts'
import { findTyped, isDeviceChange, openDevice, sealDevice, userCodeUid } from './device-codes.ts'
import { readRefreshToken, spentToken } from './refresh-tokens.ts'
import { change, findAhead, findChanged, readAhead } from './request-changes.ts'

/** The kinds of entries that are always listed by user. Other kinds have no such index. */
const LISTED: ReadonlySet<string> = new Set(['Session', 'RefreshToken'])

/**
 * Whether an entry is listed by user. Access tokens of the `latchkey` command are listed, too: they
 * are valid for hours and have no refresh token. So are grants of device logins, which no session
 * names.
 */
function isListed(kind: string, tenantId: string, { clientId }: AdapterPayload): boolean {
  if (kind === 'Grant') return isDeviceGrant(kind)
  return LISTED.has(kind) || (kind === 'AccessToken' && isCommand(tenantId, clientId))
}

/** Whether an entry is the grant of a device login. Each login gets a new one. */
function isDeviceGrant(kind: string): boolean {
  return kind === 'Grant' && Provider.ctx !== undefined && isOfDevice(Provider.ctx)
}

/**
 * The kinds of entries that are deleted with their grant. Codes and access tokens are not deleted:
 * without the grant they are refused, and they expire within hours.
 */
const REVOKED: ReadonlySet<string> = new Set(['RefreshToken'])

/**
 * The renewal of an interaction when one of its pages is opened. An interaction whose pages are
 * never opened expires after `left` seconds. No interaction lives longer than both times together.
 */
const OPENED: Renewal = { left: lifetimes.unopenedSeconds, seconds: lifetimes.interactionSeconds }

/** The lifetime of records for which oidc-provider sets none, in seconds. */
const FOREVER_SECONDS = 10 * 365 * 86_400

/**
 * Creates oidc-provider's adapters for the stores of one tenant.
 *
 * Applications are read from the directory at each request. All other records are in the protocol
 * store under a hash of their id, because most ids are bearer secrets.
 */
export function createAdapterFactory(
  context: IssuerContext,
  tenantId: string,
  issuer: string,
): AdapterFactory {
  return (kind) =>
    kind === 'Client'
      ? clientAdapter(context, tenantId, issuer)
      : entryAdapter(context, tenantId, kind)
}

function entryAdapter(context: IssuerContext, tenantId: string, kind: string): Adapter {
  const { protocol, domain } = context

  return {
    async upsert(id, payload, expiresIn = FOREVER_SECONDS) {
      refuseLongRequest(payload)
      const isDevice = kind === 'DeviceCode'
      const { stored: read, ...fields } = payload as ReadPayload
      if (isDevice && !isDeviceChange(fields, read)) return
      const { userCode } = fields
      const keptSeconds = expiresIn + (isDevice ? lifetimes.expiredDeviceCodeSeconds : 0)
      const stored = sealDevice(domain, tenantId, id, withoutId(fields, id))
      const entry = {
        ...entryName(tenantId, kind, id),
        payload: JSON.stringify({
          ...moved(stored, ahead(domain.clock)),
          ...sessionKey(payload),
        }),
        expiresAt: nowMicros(domain.clock) + keptSeconds * 1e6,
        ...(REVOKED.has(kind) && { grantId: payload.grantId }),
        uid: isDevice && userCode !== undefined ? userCodeUid(userCode) : payload.uid,
        ...(isListed(kind, tenantId, payload) && { accountId: payload.accountId }),
      }
      const isStored = await change(protocol, ...changesOver(entry, read, isDeviceGrant(kind)))
      if (isStored && read) Object.assign(read, storedForm(entry))
    },

    async find(id) {
      const name = entryName(tenantId, kind, id)
      // Outside of oidc-provider, an interaction is read only when one of its pages is opened.
      const renewal = kind === 'Interaction' && !Provider.ctx ? OPENED : undefined
      const entry = await findChanged(protocol, name, renewal)
      if (!entry && kind === 'RefreshToken') return spentToken(context, tenantId, id)
      const payload = openDevice(domain, tenantId, toPayload(entry, id, domain.clock))
      // oidc-provider does not check whether an interaction has expired.
      if (kind === 'Interaction' && payload?.exp && payload.exp * 1_000 <= Date.now())
        return undefined
      const { grantId, sessionKey: key } = (payload ?? {}) as CodePayload
      if (grantId !== undefined && key !== undefined) {
        const session = { tenantId, kind: 'Session', key }
        await readAhead(protocol, [session, entryName(tenantId, 'Grant', grantId)])
      }
      return withStoredForm(payload, entry)
    },

    async findByUid(uid) {
      const entry = findAhead(kind, uid) ?? (await protocol.findByUid(tenantId, kind, uid))
      return toPayload(entry, undefined, domain.clock)
    },

    findByUserCode: (userCode) =>
      findTyped(context, async () => {
        const entry = await protocol.findByUid(tenantId, kind, userCodeUid(userCode))
        const payload = openDevice(domain, tenantId, toPayload(entry, undefined, domain.clock))
        return withStoredForm(payload, entry)
      }),

    // Only one of several concurrent requests succeeds. oidc-provider itself would accept all of
    // them.
    async consume(id) {
      const name = entryName(tenantId, kind, id)
      const isTelling = kind === 'RefreshToken' && readRefreshToken(id) !== undefined
      const keepSeconds = isTelling ? lifetimes.spentRefreshTokenSeconds : undefined
      await change(protocol, { kind: 'consume', name, keepSeconds })
    },

    async destroy(id) {
      // Only a session that gets another id comes here. `upsert` deletes its former entry.
      if (kind === 'Session') return
      await change(protocol, { kind: 'delete', name: entryName(tenantId, kind, id) })
    },

    async revokeByGrantId(grantId) {
      if (REVOKED.has(kind)) await protocol.deleteByGrant(tenantId, kind, grantId)
    },
  }
}

/**
 * The maximum number of characters of a stored pushed request, as an encoded JWT. The limit
 * corresponds to that of a request in a URL.
 */
const MAX_PUSHED = 12_288

const PUSHED = 'PushedAuthorizationRequest'

function refuseLongRequest({ kind, request, params }: AdapterPayload): void {
  const isLongPush = kind === PUSHED && (request?.length ?? 0) > MAX_PUSHED
  const isLongDevice = kind === 'DeviceCode' && params !== undefined && isTooLongToKeep(params)
  if (!isLongPush && !isLongDevice) return
  throw new errors.InvalidRequest('the parameters are too long; at most 8,192 bytes are accepted')
}

/**
 * The part of a payload that is stored: without its id. For an interaction, also without the
 * session's id and the prompt's details, which repeat the parameters.
 */
function withoutId(payload: AdapterPayload, id: string): AdapterPayload {
  const { jti: _, ...stored } = payload
  if (stored.kind !== 'Interaction') return stored
  if (stored.returnTo) stored.returnTo = stored.returnTo.replace(id, ID_PLACE)
  if (stored.prompt) stored.prompt = { ...stored.prompt, details: {} }
  if (stored.session) stored.session = { ...stored.session, cookie: undefined }
  return stored
}

/** The payload of an entry with its stored form, as the request has read it. */
interface ReadPayload extends AdapterPayload {
  stored?: StoredForm
}

/** The kinds of entries that are written only as they were read. */
const AS_READ: ReadonlySet<string> = new Set(['Session', 'DeviceCode'])

function withStoredForm(
  payload: AdapterPayload | undefined,
  entry: ProtocolEntry | undefined,
): ReadPayload | undefined {
  return payload && entry && AS_READ.has(entry.kind)
    ? { ...payload, stored: storedForm(entry) }
    : payload
}

/**
 * The payload of a code with the storage key of its session. With this key, the session and the
 * grant are read together.
 */
interface CodePayload extends AdapterPayload {
  sessionKey?: string
}

function sessionKey({ kind, sessionUid }: AdapterPayload): Pick<CodePayload, 'sessionKey'> {
  const session = Provider.ctx?.oidc.session
  if (kind !== 'AuthorizationCode' || !session || session.uid !== sessionUid) return {}
  return { sessionKey: entryName('', 'Session', session.jti).key }
}

/**
 * The number of seconds by which the service's clock is ahead of the process's clock, which
 * oidc-provider uses.
 */
function ahead(clock: Clock): number {
  return Math.round((clock.now() - Date.now()) / 1_000)
}

/** The times in a payload that oidc-provider sets and checks with the clock of the process. */
const TIMES = ['iat', 'exp', 'iiat'] as const

/**
 * Moves the times of a payload by some seconds. Stored times are from the service's clock, which
 * all processes share.
 */
function moved(payload: AdapterPayload, seconds: number): AdapterPayload {
  const times = TIMES.flatMap((name) => {
    const at = payload[name]
    return typeof at === 'number' ? [[name, at + seconds]] : []
  })
  return { ...payload, ...Object.fromEntries(times) }
}

/** The placeholder for the id of an interaction in its stored URL. */
const ID_PLACE = '{id}'

function toPayload(
  entry: ProtocolEntry | undefined,
  id: string | undefined,
  clock: Clock,
): AdapterPayload | undefined {
  if (!entry) return undefined
  const stored = JSON.parse(entry.payload) as AdapterPayload
  const payload = moved(stored, -ahead(clock))
  if (id !== undefined) {
    payload.jti = id
    if (payload.returnTo) payload.returnTo = payload.returnTo.replace(ID_PLACE, id)
  }
  if (entry.kind === 'Interaction') {
    const latest = (stored.iat ?? 0) + OPENED.left + OPENED.seconds
    payload.exp = Math.min(Math.floor(entry.expiresAt / 1e6), latest) - ahead(clock)
  }
  if (entry.consumedAt !== undefined) payload.consumed = Math.floor(entry.consumedAt / 1e6)
  return payload
}

function clientAdapter(context: IssuerContext, tenantId: string, issuer: string): Adapter {
  const account = accountClient(issuer)
  const own = context.ownClient?.tenantId === tenantId ? context.ownClient.client : undefined
  return {
    async find(id) {
      if (id === ACCOUNT_CLIENT) return account
      if (id === own?.client_id) return own
      if (isCommand(tenantId, id)) return own && commandClient(issuer)
      // Anyone can invent such ids, so neither a cache nor the store is searched for them.
      if (isDocumentId(id)) return undefined
      if (isRegisteredId(id)) {
        const tenant = Provider.ctx && factsOf(Provider.ctx.req).tenant
        return tenant && findRegistered({ context, tenant }, id)
      }
      const client = await context.directory.client(tenantId, id)
      return client && withPublishedKeys(context, tenantId, client)
    },
    upsert: (_id, client) => addRegistered({ context, tenant: { id: tenantId } }, client),
    findByUid: refuse,
    findByUserCode: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  }
}

/**
 * Adds the published keys to a client if the request has a client assertion to verify. Otherwise
 * returns the client unchanged.
 */
async function withPublishedKeys(
  { clientKeys }: IssuerContext,
  tenantId: string,
  client: AdapterPayload,
): Promise<AdapterPayload> {
  const url = client[CLIENT_KEYS_URI_KEY]
  const assertion = Provider.ctx?.oidc?.params?.client_assertion
  if (typeof url !== 'string' || typeof assertion !== 'string') return client
  const { kid } = jwtParts(assertion).header
  const asked = { tenantId, applicationId: client.client_id ?? '', url, kid }
  return { ...client, jwks: (await clientKeys.of(asked)) as AdapterPayload['jwks'] }
}

async function refuse(): Promise<undefined> {
  throw new Error('Applications are written through the management API only.')
}
