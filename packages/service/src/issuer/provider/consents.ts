import type { KoaContextWithOIDC } from 'oidc-provider'
import { knownScopes } from '../../domain/applications/application-scopes.ts'
import { isRegisteredId, judgedHosts } from '../../domain/tenants/client-documents.ts'
import { nowMicros } from '../../domain/writes/context.ts'
import { entry, type Found, type Holder } from '../../domain/writes/entries.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import type { Change, EntryPlace } from '../../store/protocol-store.ts'
import type { Micros, Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import { factsOf } from '../requests/request-facts.ts'

/** The access that a self-described client asks for: scopes of the login, and of each API. */
export interface Access {
  readonly scopes: readonly string[]
  readonly apis: Readonly<Record<string, readonly string[]>>
}

/** A user's consent to the access of a self-described client, or to logins on devices. */
export interface Consent extends Access {
  readonly clientId: string
  /** The name that the client claimed, if any. */
  readonly name: string | undefined
  /** The destination of authorization codes; see {@link placeOf}. */
  readonly place: string
  /**
   * The hosts by which the tenant's policy judges the client. Default: the host of its `client_id`.
   */
  readonly hosts?: readonly string[] | undefined
  readonly since: Micros
  /** The time at which the consent was last used, recorded at most once per hour. */
  readonly usedAt?: Micros | undefined
}

/** A consent with its user. */
export interface GivenConsent extends Consent {
  readonly userId: string
}

const consents = entry<Consent>('Consent', lifetimes.offlineGrantSeconds)

/**
 * The index of consents across users: by host, and by client for a client that has no host or has
 * registered itself.
 */
const names = entry<{ userId: string; clientId: string }>(
  'ConsentName',
  lifetimes.offlineGrantSeconds,
)

/** The hosts of clients to which a user has agreed. */
const programs = entry<{ host: string; since: Micros }>('Program', lifetimes.offlineGrantSeconds)

/** The account under which all hosts of a tenant are listed. */
const PROGRAMS = 'programs'

/** The minimum time between two records of a consent's use, in microseconds. */
const USE_MICROS: Micros = 3_600 * 1e6

/** The destination for a redirect URI on the user's own device, where any program may listen. */
const DEVICE = 'device'

/** The destination of a redirect URI: an origin, or the user's device. */
export function placeOf(redirectUri: unknown): string {
  const url = URL.parse(String(redirectUri))
  return url?.protocol === 'https:' ? url.origin : DEVICE
}

/** Whether a redirect URI leads to a program on the user's device. */
export function isOnDevice(redirectUri: unknown): boolean {
  return placeOf(redirectUri) === DEVICE
}

/** A holder with the tenant's current record. The tenant's policy can revoke consents. */
type ConsentHolder = Holder & { readonly tenant: Tenant }

/**
 * The user's consent to a client; `undefined` if the user has not consented, or the consent is
 * revoked.
 */
export async function readConsent(
  holder: ConsentHolder,
  userId: string,
  clientId: string,
): Promise<Found<Consent> | undefined> {
  const found = await consents.read(holder, idOf(userId, clientId))
  return found && !hasEnded(holder, found.value) ? found : undefined
}

/** The name under which consents are listed: a host, or a client without a host. */
export type ConsentName = { readonly host: string } | { readonly clientId: string }

/**
 * A page of the consents to a client or to the clients of a host, with their users, the latest
 * first. Revoked consents are left out.
 */
export async function consentsTo(
  holder: ConsentHolder,
  name: ConsentName,
  page: { after: EntryPlace | undefined; limit: number },
): Promise<{ items: GivenConsent[]; next: EntryPlace | undefined }> {
  const { found, next } = await names.partOfAccount(holder, nameOf(name), page)
  const read = found.map(async ({ value: { userId, clientId } }) => {
    const consent = await readConsent(holder, userId, clientId)
    return consent ? [{ ...consent.value, userId }] : []
  })
  return { items: (await Promise.all(read)).flat(), next }
}

/** Whether another user than this one has consented to a client that has registered itself. */
export async function hasOtherUsers(
  holder: Holder,
  userId: string,
  clientId: string,
): Promise<boolean> {
  for (let after: EntryPlace | undefined; ; ) {
    const page = { after, limit: 2 }
    const { found, next } = await names.partOfAccount(holder, nameOf({ clientId }), page)
    if (found.some(({ value }) => value.userId !== userId)) return true
    if (!next) return false
    after = next
  }
}

/** A page of the hosts to whose clients users have agreed within a year, the latest first. */
export async function programsOf(
  holder: Holder,
  page: { after: EntryPlace | undefined; limit: number },
): Promise<{ items: { host: string; since: Micros }[]; next: EntryPlace | undefined }> {
  const { found, next } = await programs.partOfAccount(holder, PROGRAMS, page)
  return { items: found.map(({ value }) => value), next }
}

/**
 * The time at which a user last agreed to a client of a host; `undefined` if no user has within a
 * year.
 */
export async function programSince(holder: Holder, host: string): Promise<Micros | undefined> {
  return (await programs.read(holder, host))?.value.since
}

/**
 * Records the use of a consent, at most once per hour. Does nothing if the consent is changed at
 * the same time.
 */
export async function noteUse(holder: Holder, found: Found<Consent>): Promise<void> {
  const now = nowMicros(holder.context.domain.clock)
  if (now - (found.value.usedAt ?? 0) < USE_MICROS) return
  await consents.amend(holder, found, { ...found.value, usedAt: now })
}

/** The user's consents that are not revoked, the newest first. */
export async function consentsOf(holder: ConsentHolder, userId: string): Promise<Consent[]> {
  const found = await consents.ofAccount(holder, userId)
  return found
    .map(({ value }) => value)
    .filter((consent) => !hasEnded(holder, consent))
    .sort((a, b) => b.since - a.since)
}

/**
 * The hosts by which the tenant's policy judges the client of a consent. An application has no
 * hosts.
 */
export function hostsOf({
  clientId,
  hosts,
}: Pick<Consent, 'clientId' | 'hosts'>): readonly string[] {
  return hosts ?? judgedHosts(clientId, [])
}

/**
 * Whether a consent is revoked: a host of its client was blocked after the consent, even if it is
 * unblocked now.
 */
function hasEnded({ tenant }: ConsentHolder, consent: Consent): boolean {
  const { since } = consent
  const ended = tenant.endedHosts ?? {}
  return hostsOf(consent).some((host) => Object.hasOwn(ended, host) && since <= (ended[host] ?? 0))
}

/**
 * Stores a consent. The access of an earlier consent to the client is kept, unless that consent was
 * revoked or had another destination of codes.
 *
 * The index entries are written first or in the same step, so that no list lacks a consent. If the
 * entries are on several servers, a withdrawal at the same time can still remove an index entry.
 */
export async function keepConsent(
  holder: ConsentHolder,
  userId: string,
  asked: Omit<Consent, 'since'>,
): Promise<void> {
  for (;;) {
    const known = await consents.read(holder, idOf(userId, asked.clientId))
    const before = known && !hasEnded(holder, known.value) ? known.value : undefined
    const consent = joined(holder, before, asked)
    const { protocol } = holder.context
    const listed = namesOf(holder, userId, consent)
    if (known) {
      await protocol.write(listed)
      if (await consents.exchange(holder, known, consent)) return
    } else {
      const id = idOf(userId, asked.clientId)
      const first = consents.toPut(holder, id, consent, { accountId: userId })
      await protocol.write([first, ...listed])
      return
    }
  }
}

/** The changes that write the index entries of a consent. */
function namesOf(holder: Holder, userId: string, consent: Consent): Change[] {
  const { clientId, since } = consent
  const known = hostsOf(consent).map((host) =>
    programs.toPut(holder, host, { host, since }, { accountId: PROGRAMS }),
  )
  const ofConsent = nameIdsOf(userId, consent).map(([id, accountId]) =>
    names.toPut(holder, id, { userId, clientId }, { accountId }),
  )
  return [...known, ...ofConsent]
}

/**
 * The index entries of a consent: the id of each entry, and the account under which it is listed.
 */
function nameIdsOf(userId: string, consent: Consent): [id: string, accountId: string][] {
  const { clientId } = consent
  const hosts = hostsOf(consent)
  const all = hosts.map((host) => nameOf({ host }))
  if (hosts.length === 0 || isRegisteredId(clientId)) all.push(nameOf({ clientId }))
  return all.map((name) => [`${name} ${idOf(userId, clientId)}`, name])
}

function nameOf(name: ConsentName): string {
  return 'host' in name ? `host ${name.host}` : `client ${name.clientId}`
}

function joined(
  holder: Holder,
  known: Consent | undefined,
  asked: Omit<Consent, 'since'>,
): Consent {
  const before = known?.place === asked.place ? known : undefined
  const apis = { ...before?.apis }
  for (const [api, scopes] of Object.entries(asked.apis)) apis[api] = union(apis[api], scopes)
  return {
    ...asked,
    scopes: union(before?.scopes, asked.scopes),
    apis,
    since: nowMicros(holder.context.domain.clock),
    usedAt: known?.usedAt,
  }
}

/** Deletes a consent and its index entries. */
export async function dropConsent(holder: Holder, userId: string, clientId: string): Promise<void> {
  const id = idOf(userId, clientId)
  const found = await consents.read(holder, id)
  if (found) await forget(holder, userId, found)
}

async function forget(holder: Holder, userId: string, found: Found<Consent>): Promise<void> {
  const ids = nameIdsOf(userId, found.value)
  const first = consents.toDrop(holder, { key: found.entry.key })
  await holder.context.protocol.write([first, ...ids.map(([id]) => names.toDrop(holder, id))])
}

/** Deletes all consents of a user. */
export async function dropConsents(holder: Holder, userId: string): Promise<void> {
  const found = await consents.ofAccount(holder, userId)
  await Promise.all(found.map((one) => forget(holder, userId, one)))
}

/**
 * Whether the logged-in user has just agreed on the consent page. `false` if another user has
 * logged in since.
 */
export function isConfirmed({ oidc: { account, result } }: KoaContextWithOIDC): boolean {
  const { accountId } = (result?.consent ?? {}) as { accountId?: string }
  return account !== undefined && accountId === account.accountId
}

/**
 * Whether the user has agreed to all access that the request asks for, with the same destination of
 * the code.
 */
export async function isAgreed(context: IssuerContext, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { account, client, params } = ctx.oidc
  if (!account || !client) return false
  const holder = { context, tenant: factsOf(ctx.req).tenant }
  const found = await readConsent(holder, account.accountId, client.clientId)
  if (!found || found.value.place !== placeOf(params?.redirect_uri)) return false
  return covers(found.value, accessAskedBy(ctx))
}

function covers(agreed: Access, asked: Access): boolean {
  return (
    isWithin(asked.scopes, agreed.scopes) &&
    Object.entries(asked.apis).every(
      ([api, scopes]) =>
        Object.hasOwn(agreed.apis, api) && isWithin(scopes, agreed.apis[api] ?? []),
    )
  )
}

function accessAskedBy({ oidc }: KoaContextWithOIDC): Access {
  const known = Object.entries(oidc.resourceServers ?? {}).map(
    ([api, { scopes }]) => [api, [...scopes]] as const,
  )
  return accessOf([...oidc.requestParamScopes], known)
}

/**
 * The access that a request asks for. Scopes that the issuer or the API does not have are left out.
 *
 * @param apis - The APIs of the request, each with its own scopes.
 */
export function accessOf(
  asked: readonly string[],
  apis: readonly (readonly [api: string, scopes: readonly string[]])[],
): Access {
  return {
    scopes: knownScopes.filter((scope) => asked.includes(scope)),
    apis: Object.fromEntries(
      apis.map(([api, scopes]) => [api, scopes.filter((scope) => asked.includes(scope))]),
    ),
  }
}

function idOf(userId: string, clientId: string): string {
  return `${userId} ${clientId}`
}

function isWithin(some: readonly string[], all: readonly string[]): boolean {
  return some.every((one) => all.includes(one))
}

function union(some: readonly string[] = [], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])]
}
