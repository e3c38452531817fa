import type { KoaContextWithOIDC } from 'oidc-provider'
import { knownScopes } from '../../domain/applications/application-scopes.ts'
import { judgedHosts } from '../../domain/tenants/client-documents.ts'
import { nowMicros } from '../../domain/writes/context.ts'
import { entry, type Found, type Holder } from '../../domain/writes/entries.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import type { Micros, Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import { factsOf } from '../requests/request-facts.ts'

/** The access that a client that describes itself asks for: scopes of logins, and of each API. */
export interface Access {
  readonly scopes: readonly string[]
  readonly apis: Readonly<Record<string, readonly string[]>>
}

/** A user's consent to the access of a client that describes itself. */
export interface Consent extends Access {
  readonly clientId: string
  /** The name that the client had claimed, if any. */
  readonly name: string | undefined
  /** The place that codes are sent to; see {@link placeOf}. */
  readonly place: string
  /** The hosts by which the tenant judges the client. Default: that of its `client_id`. */
  readonly hosts?: readonly string[] | undefined
  readonly since: Micros
}

const consents = entry<Consent>('Consent', lifetimes.offlineGrantSeconds)

/** The place of a redirect URI on the user's own device, where any program may listen. */
const DEVICE = 'device'

/** The place that a redirect URI leads to: an origin, or the user's device. */
export function placeOf(redirectUri: unknown): string {
  const url = URL.parse(String(redirectUri))
  return url?.protocol === 'https:' ? url.origin : DEVICE
}

/** Whether a redirect URI leads to a program on the user's device. */
export function isOnDevice(redirectUri: unknown): boolean {
  return placeOf(redirectUri) === DEVICE
}

/** The tenant as it is now, whose policy ends consents. */
type ConsentHolder = Holder & { readonly tenant: Tenant }

/** The user's consent to a client, if there is one that has not ended. */
export async function readConsent(
  holder: ConsentHolder,
  userId: string,
  clientId: string,
): Promise<Found<Consent> | undefined> {
  const found = await consents.read(holder, idOf(userId, clientId))
  return found && !hasEnded(holder, found.value) ? found : undefined
}

/** The user's consents, the newest first. */
export async function consentsOf(holder: ConsentHolder, userId: string): Promise<Consent[]> {
  const found = await consents.ofAccount(holder, userId)
  return found
    .map(({ value }) => value)
    .filter((consent) => !hasEnded(holder, consent))
    .sort((a, b) => b.since - a.since)
}

/** Whether a host of the client was blocked since, even if it is not any more. */
function hasEnded({ tenant }: ConsentHolder, { clientId, hosts, since }: Consent): boolean {
  const ended = tenant.endedHosts ?? {}
  const judged = hosts ?? judgedHosts(clientId, [])
  return judged.some((host) => Object.hasOwn(ended, host) && since <= (ended[host] ?? 0))
}

/**
 * Keeps a consent. Earlier consents to the client stay, unless codes went to another place then, or they are withdrawn in the
 * meantime.
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
    if (known) {
      if (await consents.exchange(holder, known, consent)) return
    } else {
      return consents.put(holder, idOf(userId, asked.clientId), consent, { accountId: userId })
    }
  }
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
  }
}

/** Forgets a consent. */
export function dropConsent(holder: Holder, userId: string, clientId: string): Promise<void> {
  return consents.drop(holder, idOf(userId, clientId))
}

/** Forgets all consents of a user. */
export async function dropConsents(holder: Holder, userId: string): Promise<void> {
  const found = await consents.ofAccount(holder, userId)
  await Promise.all(found.map(({ entry: { key } }) => consents.drop(holder, { key })))
}

/** Whether the user who is logged in has just agreed on the page for consent. Another user may have logged in since. */
export function isConfirmed({ oidc: { account, result } }: KoaContextWithOIDC): boolean {
  const { accountId } = (result?.consent ?? {}) as { accountId?: string }
  return account !== undefined && accountId === account.accountId
}

/** Whether the user of a request has agreed to all that it asks for, for the place that the code goes to. */
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
 * The access that a request asks for.
 *
 * @param apis - The APIs that it names, each with the scopes that it has.
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
