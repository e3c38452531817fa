import { hkdfSync } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { LRUCache } from 'lru-cache'
import type { JWK, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { type PrivateJwk, signingKeys } from '../../domain/keys/signing-keys.ts'
import {
  acceptsDocuments,
  acceptsRegistration,
  isSelfDescribedId,
} from '../../domain/tenants/client-documents.ts'
import { foreignVersion } from '../../domain/writes/context.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import { renderPage } from '../../pages/index.ts'
import { StoreError } from '../../store/errors.ts'
import { entryName } from '../../store/protocol-store.ts'
import type { Tenant } from '../../store/records.ts'
import { count } from '../../telemetry/metrics.ts'
import type { IssuerContext } from '../context.ts'
import {
  acceptSecondSecret,
  findSelfDescribedForLogins,
  nameForbiddenGrants,
  nameSessions,
  refusePushedFragments,
} from '../engine/client.ts'
import { judgeBeforeUse } from '../engine/code.ts'
import { admitDevices } from '../engine/device-code.ts'
import { addClaims, keepAuthTimeWhole } from '../engine/id-token.ts'
import { bindInteractions } from '../engine/interaction.ts'
import { carryLoginFacts } from '../engine/login-facts.ts'
import { admitPushes } from '../engine/push.ts'
import { createProvider } from '../engine/refresh.ts'
import { nameRefreshTokens } from '../engine/refresh-token.ts'
import { judgeProofs, useOnce } from '../engine/replay.ts'
import { allowOfflineAccess } from '../engine/request.ts'
import { keepClients, keepStoredForms, storeNeededSessions } from '../engine/session.ts'
import { brandingFor } from '../requests/branding.ts'
import { isSameBrowser, markBrowser } from '../requests/browser-cookie.ts'
import { isBrokenOff } from '../requests/http.ts'
import { issuerUrl } from '../requests/issuer-url.ts'
import { factsOf } from '../requests/request-facts.ts'
import { TooManyAttempts } from '../requests/too-many-attempts.ts'
import { removeSession } from '../sessions/end-session.ts'
import {
  askInPlaceOfOldHints,
  followAnswers,
  skipNeedlessConfirmation,
} from '../sessions/logout.ts'
import { refusePages } from './acting-policy.ts'
import { refuseForeignApi } from './api-tokens.ts'
import { earlierSecret } from './clients/client-metadata.ts'
import { describeForbiddenGrant } from './clients/client-policy.ts'
import { checkProof } from './clients/client-proofs.ts'
import { holdErrors } from './clients/held-errors.ts'
import { boundRegistrations, createRegistrationCounts } from './clients/registrations.ts'
import { askToRetry, isSelfDescribed } from './clients/self-described.ts'
import { createConfiguration } from './configuration.ts'
import { askForCodes, countPoll, isCodeForm } from './device-logins.ts'
import { noteRefusals } from './note-refusals.ts'
import { refuseFragments } from './policy.ts'
import { refreshToken } from './refresh-tokens.ts'
import { createRefreshAnswers } from './repeated-refresh.ts'
import { dropChanges, makeChanges } from './request-changes.ts'
import { storeTogether } from './stored-together.ts'

/**
 * The maximum number of providers in memory. Each takes 40 to 90 KiB, and 0.3 ms to build again.
 */
const MAX_PROVIDERS = 500

/** A time that is longer than the lifetime of any record, in seconds. */
const FOREVER = 10 * 365 * 86_400

/** The time after which clients should retry after a failure of the store. */
export const STORE_RETRY_SECONDS = 5

/**
 * A tenant's provider with its request handler. The handler is created only once, because creating
 * it is slow.
 */
export interface Served {
  readonly provider: Provider
  readonly handle: ReturnType<Provider['callback']>
}

/** The OpenID provider of every tenant, built when first needed. */
export interface Providers {
  of(tenant: Tenant): Promise<Served>
}

interface Built {
  domain: string
  /** Whether the tenant accepts self-described clients. Discovery publishes this. */
  accepts: string
  /** The version of the tenant in the store, which shows writes of other processes. */
  version: unknown
  served: Promise<Served>
}

/**
 * Creates the cache of the most recently used providers. A provider is built again when its tenant
 * or the tenant's keys change.
 */
export function createProviders(context: IssuerContext): Providers {
  const built = new LRUCache<string, Built>({ max: MAX_PROVIDERS })
  const registrations = createRegistrationCounts()
  context.domain.events.on('change', ({ tenantId, action }) => {
    if (tenantId !== undefined && /^(signing_key|tenant)\./.test(action)) built.delete(tenantId)
  })

  return {
    of(tenant) {
      const { domain } = tenant.settings
      const version = foreignVersion(context.domain, tenant.id) ?? Symbol('unknown')
      const known = built.get(tenant.id)
      const accepts = `${acceptsDocuments(tenant)} ${acceptsRegistration(tenant)}`
      const isHit =
        known?.domain === domain && known.version === version && known.accepts === accepts
      count('cacheLookups', { cache: 'providers', result: isHit ? 'hit' : 'miss' })
      if (isHit) return known.served

      const served = build(context, tenant, registrations)
      built.set(tenant.id, { domain, version, served, accepts })
      // After a failure, the next request builds the provider again.
      served.catch(() => built.delete(tenant.id))
      return served
    },
  }
}

async function build(
  context: IssuerContext,
  tenant: Tenant,
  registrations: ReturnType<typeof createRegistrationCounts>,
): Promise<Served> {
  const issuer = issuerUrl(tenant.settings.domain, context)
  const isSecure = issuer.startsWith('https:')
  const stored = await signingKeys(context.domain, tenant.id)
  const keys = stored.flatMap((key) => [key, pssKey(key)])
  const provider = createProvider(
    issuer,
    createConfiguration(context, tenant, {
      ...{ issuer, isSecure, keys },
      nonceSecret: nonceSecret(stored),
    }),
    {
      answers: createRefreshAnswers(context, tenant.id),
      makeChanges: () => makeChanges(context.protocol),
      dropChanges,
      countPoll: (ctx) => countPoll(context, tenant.id, ctx),
    },
  )
  // The forwarded headers can be trusted: the dispatcher removes those of clients, and sets
  // protocol and host from the issuer.
  provider.proxy = true
  const fail = ({ path }: { path: string }, err: Error): void =>
    context.logger.error({ tenantId: tenant.id, path, err }, 'The issuer failed.')
  answerStoreErrors(provider, tenant, fail)
  keepAuthTimeWhole(provider)
  nameSessions(provider)
  carryLoginFacts(provider, context.domain.clock)
  nameRefreshTokens(provider, (random, token) => refreshToken(random, token, context.domain.clock))
  judgeBeforeUse(provider, refuseForeignApi)
  addClaims(provider, context.idTokenClaims)
  bindInteractions(provider, (ctx, id) => beginLogin(context, ctx, id), isSameBrowser)
  keepClients(provider, (request) => {
    const { userAgent, clientIp } = factsOf(request)
    return { userAgent, address: clientIp || undefined }
  })
  keepStoredForms(provider, (session) => removeSession(context, provider, tenant.id, session))
  storeNeededSessions(provider, isCodeForm)
  findSelfDescribedForLogins(provider, isSelfDescribedId, askToRetry)
  nameForbiddenGrants(provider, describeForbiddenGrant)
  acceptSecondSecret(provider, (client) => earlierSecret(client, context.domain))
  context.logoutNotices.attach(tenant.id, provider)
  skipNeedlessConfirmation(provider)
  followAnswers(provider, context)
  askInPlaceOfOldHints(provider, keys)
  allowOfflineAccess(provider)
  refuseFragments(provider)
  refusePushedFragments(provider)
  admitPushes(provider, async (ctx) => {
    // Limited, because anyone can push a request for a public client.
    if (ctx.oidc.client?.clientAuthMethod === 'none') await countOfProgram(context, ctx)
  })
  askForCodes(provider, context)
  admitDevices(provider, (ctx) => countOfProgram(context, ctx))
  useOnce(provider, async (id, seconds) => {
    // Every further use is refused for as long as the first use is on record.
    const limit = { free: 1, baseSeconds: FOREVER, maxSeconds: FOREVER, forgetSeconds: seconds }
    const { kind } = await context.protocol.admit(`used:${tenant.id}/${id}`, limit)
    return kind === 'admitted'
  })
  judgeProofs(provider, (proof, client) => checkProof(proof, client, context.domain.clock))
  boundRegistrations(provider, registrations)
  noteRefusals(provider, context.logger)
  holdErrors(provider, context, tenant)
  storeTogether(provider, context)
  tellOfErrors(provider, fail)
  return { provider, handle: provider.callback() }
}

/** Logs a failure of the issuer. */
type Fail = (ctx: { path: string }, err: Error) => void

/**
 * Adds middleware that answers with an error page if the store fails after the response was made,
 * when the session is saved. oidc-provider does not handle this error.
 */
function answerStoreErrors(provider: Provider, tenant: Tenant, fail: Fail): void {
  provider.use(async (ctx, next) => {
    try {
      await next()
    } catch (err) {
      if (!(err instanceof StoreError)) throw err
      const branding = brandingFor(tenant, ctx.req, ctx.query.ui_locales)
      ctx.status = 503
      const page = { title: 'errorTitle', text: 'errorServer' } as const
      const { html, headers } = renderPage('message', branding, page)
      ctx.set({ ...headers, 'retry-after': String(STORE_RETRY_SECONDS) })
      ctx.remove('location')
      ctx.body = html
      fail(ctx, err)
    }
  })
}

/**
 * Logs the errors of oidc-provider and Koa, except lost connections. After a failure of the store,
 * the response asks the client to retry.
 */
function tellOfErrors(provider: Provider, fail: Fail): void {
  provider.on('server_error', (ctx, err) => {
    if (isBrokenOff(ctx.req)) return
    fail(ctx, err)
    if (!(err instanceof StoreError)) return
    // The same request can succeed later, for example once the disk has space again.
    ctx.status = 503
    ctx.set('retry-after', String(STORE_RETRY_SECONDS))
  })
  // Without a listener, Koa writes to stderr, even about lost connections.
  const koa: EventEmitter = provider
  koa.on('error', (err: Error, ctx: KoaContextWithOIDC) => {
    const isGone = !ctx.req.complete || err === ctx.req.socket.errored
    if (!isGone) fail(ctx, err)
  })
}

/**
 * A copy of the key for PS256, which FAPI 2.0 requires. The copy has its own `kid`, because most
 * clients use a key only for the algorithm that it names.
 */
function pssKey(key: PrivateJwk): JWK {
  return { ...key, kid: `${key.kid}-ps256`, alg: 'PS256' } as JWK
}

/**
 * The secret of DPoP nonces. It is derived from the oldest key, which all processes know even while
 * a new key is added.
 */
function nonceSecret(keys: readonly PrivateJwk[]): Buffer {
  const secret = keys.at(-1)?.d ?? ''
  return Buffer.from(hkdfSync('sha256', secret, '', 'latchkey/dpop-nonce', 32))
}

/**
 * Begins a login in the browser that sent the request. Returns the facts to store with the login.
 *
 * @throws TooManyAttempts if too many logins begin; AccessDenied while an operator acts for
 *   a user.
 * @see RFC 6749 §4.1.2.1
 */
async function beginLogin(
  context: IssuerContext,
  ctx: KoaContextWithOIDC,
  id: string,
): Promise<{ browser: string; seconds: number; clientName: string | undefined }> {
  const { tenant } = factsOf(ctx.req)
  refusePages(ctx)
  const wait = await countLogin(context, ctx)
  if (wait !== undefined) throw tooManyLogins(wait)
  await context.unfinished.add(entryName(tenant.id, 'Interaction', id))
  const { client } = ctx.oidc
  const clientName = isSelfDescribed(client) ? client?.clientName : undefined
  return { browser: markBrowser(ctx), seconds: lifetimes.unopenedSeconds, clientName }
}

/**
 * Counts a login that a program begins. The program gets a status and the time to wait; a browser
 * would be redirected to its application with the error.
 *
 * @throws TooManyAttempts if too many logins begin.
 * @see RFC 9126 §2.3
 */
async function countOfProgram(context: IssuerContext, ctx: KoaContextWithOIDC): Promise<void> {
  const wait = await countLogin(context, ctx)
  if (wait === undefined) return
  ctx.set('retry-after', String(wait))
  throw Object.assign(tooManyLogins(wait), { status: 429, statusCode: 429 })
}

function countLogin({ counts }: IssuerContext, ctx: KoaContextWithOIDC) {
  return counts.countLogin(factsOf(ctx.req).clientIp)
}

function tooManyLogins(wait: number): Error {
  return new TooManyAttempts(`too many logins begin; wait ${wait} s`, wait)
}
