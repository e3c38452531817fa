import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Client,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import type { Clock } from '../clock.ts'
import type { ClaimsOf } from '../domain/users/users.ts'
import { answerWith, replace } from './engine/replace.ts'
import { type JwtParts, jwtParts } from './requests/jwt-parts.ts'

// The undocumented parts of oidc-provider that the issuer depends on. An upgrade that changes it
// fails in test/issuer/oidc-provider-internals.test.ts, and is mended here.

/** A browser's session at the issuer. */
export type Session = InstanceType<Provider['Session']> & LoginFacts

type PayloadOf = (this: object) => Promise<{ auth_time?: number }>

/**
 * Rounds the claim `auth_time` down to whole seconds. Logins are kept to the millisecond, so that
 * one right after a password reset is told from one right before it. For a login at a provider, the
 * claim is the time at which that provider authenticated the user; it is left out if the provider
 * does not say it.
 */
export function keepAuthTimeWhole(provider: Provider): void {
  replace(
    provider,
    'IdToken.prototype.payload',
    (payload: PayloadOf) =>
      async function () {
        const claims = await payload.call(this)
        const { provenAt } = loginOfTokens()
        if (claims.auth_time === undefined || provenAt === 0) delete claims.auth_time
        else claims.auth_time = Math.floor(provenAt ?? claims.auth_time)
        return claims
      },
  )
}

/** Puts the `sid` into every ID token; oidc-provider does so for applications with a back-channel address. */
export function nameSessions(provider: Provider): void {
  replace(provider, 'Client.prototype.includeSid', () => () => true)
}

interface IdToken {
  readonly available: { readonly sub?: string }
  readonly extra: Readonly<Record<string, unknown>>
  set(name: string, value: unknown): void
}

type Issue = (this: IdToken, options: { use: string }) => Promise<string>

/** Claims that say what a token is, and not who its user is. */
const RESERVED = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'azp', 'auth_time'])

/** Adds claims of the user to every ID Token; what makes it an ID Token stays. */
export function addClaims(provider: Provider, claimsOf: ClaimsOf): void {
  replace(
    provider,
    'IdToken.prototype.issue',
    (issue: Issue) =>
      async function (options) {
        const { sub } = this.available
        if (options.use === 'idtoken' && sub !== undefined) {
          for (const [name, value] of Object.entries(await claimsOf(sub))) {
            if (!RESERVED.has(name) && !Object.hasOwn(this.extra, name)) this.set(name, value)
          }
        }
        return issue.call(this, options)
      },
  )
}

type Compare = (
  this: Readonly<Record<string, unknown>>,
  presented: string,
) => Promise<boolean> | boolean

/**
 * Accepts a second client secret.
 *
 * @param other - The second one of a client, if it has one now.
 */
export function acceptSecondSecret(
  provider: Provider,
  other: (client: Readonly<Record<string, unknown>>) => string | undefined,
): void {
  replace(
    provider,
    'Client.prototype.compareClientSecret',
    (compare: Compare) =>
      async function (presented) {
        // Both are compared every time, so that the answer takes as long for either.
        const isFirst = await compare.call(this, presented)
        const clientSecret = other(this)
        if (clientSecret === undefined) return isFirst
        const isSecond = await compare.call({ clientSecret }, presented)
        return isFirst || isSecond
      },
  )
}

/** Answers the request that is under way with another `acr` than the session's own. */
export function answerWithAcr(ctx: KoaContextWithOIDC, acr: string | undefined): void {
  answerWith(ctx.oidc, 'OIDCContext.prototype.acr', acr)
}

/** The browser and the address from which a user logged in. */
interface LoginClient {
  userAgent: string | undefined
  address: string | undefined
}

type LoginAccount = (this: Session, details: object) => void
type Names = (this: object) => readonly string[]

/** Stores more members with the objects of a class. */
function storeAlso(
  provider: Provider,
  model: 'Session' | 'AuthorizationCode' | 'RefreshToken' | 'Interaction',
  more: readonly string[],
): void {
  replace(
    provider,
    `${model}.IN_PAYLOAD`,
    (names: Names) =>
      function () {
        return [...names.call(this), ...more]
      },
  )
}

/** Stores with every session the browser and the address from which the user logged in. */
export function keepClients(
  provider: Provider,
  clientOf: (request: IncomingMessage) => LoginClient,
): void {
  storeAlso(provider, 'Session', ['userAgent', 'address'])
  replace(
    provider,
    'Session.prototype.loginAccount',
    (loginAccount: LoginAccount) =>
      function (details) {
        loginAccount.call(this, details)
        if (Provider.ctx) Object.assign(this, clientOf(Provider.ctx.req))
      },
  )
}

/** Facts about a login that oidc-provider does not know; in seconds since the epoch. */
interface LoginFacts {
  /** The time at which it survived the end of the user's other sessions, which it asked for. */
  keptAt?: number | undefined
  /** The time at which a provider asked its user, for a login there; 0 where it does not say. */
  provenAt?: number | undefined
}

type Save = (this: LoginFacts) => Promise<string>

/**
 * Stores {@link LoginFacts} with a session, and hands them on to its codes and refresh tokens. So the time of
 * a login says when the user has proven who they are, and nothing else; how long ago that is, the clock says.
 */
export function carryLoginFacts(provider: Provider, clock: Clock): void {
  for (const name of ['Session', 'AuthorizationCode', 'RefreshToken'] as const) {
    storeAlso(provider, name, ['keptAt', 'provenAt'])
  }
  for (const name of ['AuthorizationCode', 'RefreshToken'] as const) {
    replace(
      provider,
      `${name}.prototype.save`,
      (save: Save) =>
        function () {
          Object.assign(this, loginFactsOf(name))
          return save.call(this)
        },
    )
  }
  replace(
    provider,
    'Session.prototype.loginAccount',
    (loginAccount: LoginAccount) =>
      function (details) {
        loginAccount.call(this, details)
        const { result } = Provider.ctx?.oidc.entities.Interaction ?? {}
        const { keptAt, provenAt } = (result?.login ?? {}) as LoginFacts
        Object.assign(this, { keptAt, provenAt })
      },
  )
  replace(
    provider,
    'Session.prototype.past',
    () =>
      function (this: Session, age: unknown) {
        return clock.now() / 1000 - authTimeOf(this) > Number(age)
      },
  )
}

/** A refresh token that is given out now. */
export interface NewRefreshToken extends Pick<LoginFacts, 'keptAt'> {
  readonly grantId: string
  readonly authTime?: number | undefined
}

/**
 * Makes the text of each refresh token that is given out, after {@link carryLoginFacts}.
 *
 * @param nameOf - Is given the random text that oidc-provider would use.
 */
export function nameRefreshTokens(
  provider: Provider,
  nameOf: (random: string, token: NewRefreshToken) => string,
): void {
  type Generate = (this: NewRefreshToken) => string
  replace(
    provider,
    'RefreshToken.prototype.generateTokenId',
    (generate: Generate) =>
      function () {
        return nameOf(generate.call(this), this)
      },
  )
}

/** The facts of the login for which the request under way makes a code or a refresh token. */
function loginFactsOf(made: 'AuthorizationCode' | 'RefreshToken'): LoginFacts {
  const session = Provider.ctx?.oidc.session as Session | undefined
  const source = made === 'AuthorizationCode' ? session : loginOfTokens()
  return { keptAt: source?.keptAt, provenAt: source?.provenAt }
}

/** The facts of the login for which the request under way makes tokens. */
export function loginOfTokens(): LoginFacts {
  const { AuthorizationCode, RotatedRefreshToken, RefreshToken } = Provider.ctx?.oidc.entities ?? {}
  return (AuthorizationCode ?? RotatedRefreshToken ?? RefreshToken ?? {}) as LoginFacts
}

/** The time at which the user of a session has proven who they are, in seconds since the epoch; 0: it is not known. */
export function authTimeOf({ provenAt, loginTs = 0 }: Session): number {
  return provenAt ?? loginTs
}

/**
 * Takes a request for offline access as one with `prompt=consent`, without which oidc-provider drops the scope.
 * Applications are the tenant's own, so it needs no consent of the user.
 *
 * @see OpenID Connect Core 1.0 §11
 */
export function allowOfflineAccess(provider: Provider): void {
  replace(
    provider,
    'OIDCContext.prototype.prompts',
    () =>
      function (this: KoaContextWithOIDC['oidc']) {
        const { prompt, scope } = this.params ?? {}
        const prompts = new Set(typeof prompt === 'string' ? prompt.split(' ') : [])
        const asks = typeof scope === 'string' && scope.split(' ').includes('offline_access')
        return asks && !prompts.has('none') ? prompts.add('consent') : prompts
      },
  )
}

type IsModeAllowed = (this: object, mode: string, responseType: string, profile: unknown) => boolean

/** Refuses `response_mode=fragment` in a pushed request as well. */
export function refusePushedFragments(provider: Provider): void {
  replace(
    provider,
    'Client.prototype.responseModeAllowed',
    (isAllowed: IsModeAllowed) =>
      function (mode, responseType, profile) {
        // Of other response types it is the default; those are refused for what they are.
        if (mode === 'fragment' && responseType === 'code') return false
        return isAllowed.call(this, mode, responseType, profile)
      },
  )
}

type SaveFor<This = object> = (this: This, seconds: number) => Promise<string>

/**
 * Asks before a pushed request is stored.
 *
 * @param admit - Throws to refuse it.
 */
export function admitPushes(
  provider: Provider,
  admit: (ctx: KoaContextWithOIDC) => Promise<void>,
): void {
  replace(
    provider,
    'PushedAuthorizationRequest.prototype.save',
    (save: SaveFor) =>
      async function (seconds) {
        if (Provider.ctx) await admit(Provider.ctx)
        return save.call(this, seconds)
      },
  )
}

type Unique = (this: object, issuer: string, id: string, expiresAt: number) => Promise<boolean>

/**
 * Replaces the replay cache of client assertions and DPoP proofs: oidc-provider looks first and writes later, so two
 * requests at once would both pass.
 *
 * @param isFirst - Whether no request has used the id before, within `seconds`.
 */
export function useOnce(
  provider: Provider,
  isFirst: (id: string, seconds: number) => Promise<boolean>,
): void {
  replace(
    provider,
    'ReplayDetection.unique',
    (): Unique => (issuer, id, expiresAt) =>
      isFirst(
        hash('sha256', `${issuer} ${id}`, 'base64url'),
        Math.max(1, Math.ceil(expiresAt - Date.now() / 1_000)),
      ),
  )
}

/**
 * Judges each DPoP proof once it is verified; oidc-provider does not look at the time of one with a nonce. To be called
 * after {@link useOnce}.
 *
 * @param judge - Throws to refuse it. Returns until when it is to be remembered as used, in seconds since the epoch:
 *   oidc-provider would forget one from the future while it is still accepted.
 */
export function judgeProofs(
  provider: Provider,
  judge: (proof: JwtParts, client: Client | undefined) => number,
): void {
  replace(
    provider,
    'ReplayDetection.unique',
    (unique: Unique) =>
      async function (issuer, id, expiresAt) {
        const proof = jwtParts(Provider.ctx?.get('dpop') ?? '')
        // Client assertions are looked up here, too.
        if (proof.claims.jti !== id) return unique.call(this, issuer, id, expiresAt)
        const until = judge(proof, await provider.Client.find(issuer))
        return unique.call(this, issuer, id, Math.max(expiresAt, until))
      },
  )
}

type Consume = (this: { readonly resourceIndicators: ReadonlySet<string> }) => Promise<void>

/**
 * Judges the request for tokens before its authorization code is used up. An error that `judge` throws is the
 * answer, and leaves the code good.
 */
export function judgeBeforeUse(
  provider: Provider,
  judge: (ctx: KoaContextWithOIDC, granted: ReadonlySet<string>) => void,
): void {
  replace(
    provider,
    'AuthorizationCode.prototype.consume',
    (consume: Consume) =>
      async function () {
        if (Provider.ctx) judge(Provider.ctx, this.resourceIndicators)
        return consume.call(this)
      },
  )
}

/** The stored responses of the latest refreshes. */
export interface RefreshAnswers {
  /** Whether this client may repeat a refresh. */
  isFor(client: object): boolean
  /**
   * The response to the first use of a token, if the same was asked.
   *
   * @param usedAt - When the token was used, in seconds since the epoch. Default: now.
   */
  find(token: string, question: string, usedAt?: number): Promise<object | undefined>
  keep(token: string, question: string, answer: object): Promise<void>
}

/** Another request has used up the code or token first. */
export class SpentError extends errors.InvalidGrant {}

interface RefreshTokenModel {
  consumed: number | undefined
  consume(): Promise<void>
}

/** Thrown in place of using up a refresh token that was used before. */
class Repeated extends Error {
  readonly answer: object

  constructor(answer: object) {
    super('The refresh was repeated.')
    this.answer = answer
  }
}

type GrantHandler = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>
type FindAnswer = (usedAt?: number) => Promise<object | undefined>

/** Finds the stored response for each refresh in progress. */
const refreshes = new WeakMap<object, FindAnswer>()
const tokensOf = new WeakMap<Provider, TokenRules>()

/** The rules of the token endpoint. */
interface TokenRules {
  answers: RefreshAnswers
  /** Makes the changes of a request before its response; throws {@link SpentError}. */
  makeChanges(): Promise<void>
}

/** The provider of a tenant, which answers a repeated refresh with the response of the first one. */
export class RepeatableProvider extends Provider {
  constructor(issuer: string, configuration: Configuration, rules: TokenRules) {
    super(issuer, configuration)
    tokensOf.set(this, rules)
    replace(
      this,
      'RefreshToken.find',
      (find: Find<RefreshTokenModel>) =>
        async function (id, options) {
          const token = await find.call(this, id, options)
          const findAnswer = Provider.ctx && refreshes.get(Provider.ctx)
          const answer = token?.consumed && (await findAnswer?.(token.consumed))
          if (token && answer) {
            // oidc-provider checks client, grant and user first, and would then use the token up.
            token.consumed = undefined
            token.consume = () => Promise.reject(new Repeated(answer))
          }
          return token
        },
    )
  }

  /** Called by the constructor of oidc-provider with each of its own grants. */
  override registerGrantType(name: string, handler: unknown, ...more: never[]): void {
    const own = handler as GrantHandler
    const used = name === 'refresh_token' ? repeatable(this, own) : changing(this, own)
    super.registerGrantType(name, used as never, ...more)
  }
}

/** Makes the changes of a request even if it is refused: a code that was used is used up. */
function changing(provider: Provider, handler: GrantHandler): GrantHandler {
  return async (ctx, next) => {
    try {
      await handler(ctx, next)
    } finally {
      await tokensOf.get(provider)?.makeChanges()
    }
  }
}

function repeatable(provider: Provider, handler: GrantHandler): GrantHandler {
  return async (ctx, next) => {
    const { answers } = tokensOf.get(provider) ?? {}
    const { client, params, entities } = ctx.oidc
    const { refresh_token: token, scope, resource } = params ?? {}
    if (!client || !answers?.isFor(client) || typeof token !== 'string') {
      return changing(provider, handler)(ctx, next)
    }
    const question = JSON.stringify([client.clientId, scope, resource])
    const find: FindAnswer = (usedAt) => answers.find(token, question, usedAt)
    refreshes.set(ctx, find)
    const refresh = changing(provider, async () => {
      await handler(ctx, next)
      if (entities.RotatedRefreshToken) await answers.keep(token, question, ctx.body as object)
    })
    try {
      await refresh(ctx, next)
    } catch (error) {
      const isSpent = error instanceof SpentError
      const answer = error instanceof Repeated ? error.answer : isSpent && (await find())
      if (!answer) throw error
      ctx.body = answer
    }
  }
}

interface LogoutClient {
  clientId: string
  backchannelLogoutUri?: string
}

type Send = (this: LogoutClient, sub: string, sid: string | undefined) => Promise<void>

/** Whose session ended, at which application. */
export interface EndedSession {
  clientId: string
  sub: string
  sid: string | undefined
}

/**
 * Hands every session that ends at an application with a back-channel address to `keep` in place of
 * sending a logout token; oidc-provider would try once, and let the browser wait.
 *
 * @returns A function that sends the logout token, unless the application or its address is gone;
 *   it resolves with whether it was sent, and rejects when it was not accepted.
 */
export function interceptLogoutTokens(
  provider: Provider,
  keep: (ended: EndedSession) => Promise<void>,
): (ended: EndedSession) => Promise<boolean> {
  const send = replace(
    provider,
    'Client.prototype.backchannelLogout',
    (_: Send) =>
      function (sub, sid) {
        return keep({ clientId: this.clientId, sub, sid })
      },
  )
  return async ({ clientId, sub, sid }) => {
    const client = (await provider.Client.find(clientId)) as LogoutClient | undefined
    if (!client?.backchannelLogoutUri) return false
    await send.call(client, sub, sid)
    return true
  }
}

/** Whether an application has a back-channel address. */
export async function hasBackchannel(provider: Provider, clientId: string): Promise<boolean> {
  const client = (await provider.Client.find(clientId)) as LogoutClient | undefined
  return Boolean(client?.backchannelLogoutUri)
}

interface BoundInteraction {
  jti: string
  browser?: string
  session?: object | undefined
}

type Find<Found> = (this: object, id: string, options?: object) => Promise<Found | undefined>

/**
 * Stores with every interaction the browser in which it began, as its member `browser`, and lets it
 * be resumed in that browser alone. An interaction does not depend on a session whose user cannot
 * continue it.
 *
 * @param begin - The browser that sent the request, and how long the interaction waits for its page
 *   to be opened. When it rejects, nothing begins.
 */
export function bindInteractions(
  provider: Provider,
  begin: (ctx: KoaContextWithOIDC, id: string) => Promise<{ browser: string; seconds: number }>,
  isSame: (request: IncomingMessage, browser: string | undefined) => boolean,
): void {
  storeAlso(provider, 'Interaction', ['browser'])
  replace(
    provider,
    'Interaction.prototype.save',
    (save: SaveFor<BoundInteraction>) =>
      async function (ttl) {
        if (!Provider.ctx || this.browser !== undefined) return save.call(this, ttl)
        const { browser, seconds } = await begin(Provider.ctx, this.jti)
        this.browser = browser
        const { session, account } = Provider.ctx.oidc
        // Such a session ends in the background, at any moment; a login must not end with it.
        if (session?.accountId && !account) this.session = undefined
        return save.call(this, Math.min(ttl, seconds))
      },
  )
  replace(
    provider,
    'Interaction.find',
    (find: Find<BoundInteraction>) =>
      async function (id, options) {
        const found = await find.call(this, id, options)
        // Within oidc-provider, only the end of a login looks an interaction up.
        return Provider.ctx && !isSame(Provider.ctx.req, found?.browser) ? undefined : found
      },
  )
}

/**
 * The interaction of a request, also if the session in which it began has ended; oidc-provider
 * would report that there is none.
 */
export async function readAbandoned(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<InstanceType<Provider['Interaction']> | undefined> {
  const { cookies } = provider.createContext(request, response)
  const id = cookies.get(provider.cookieName('interaction'))
  const interaction = id === undefined ? undefined : await provider.Interaction.find(id)
  const uid = interaction?.session?.uid
  if (uid === undefined || (await provider.Session.findByUid(uid))) return undefined
  return interaction
}

/** Forgets a grant without reading it first. */
export function destroyGrant(provider: Provider, grantId: string): Promise<void> {
  return provider.Grant.adapter.destroy(grantId) as Promise<void>
}

/** The session of the browser that sent a request to one of our own pages. */
export function readSession(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Session> {
  return provider.Session.get(provider.createContext(request, response))
}

/** The facts on the page that asks whether to log out. */
export function logoutQuestion(ctx: KoaContextWithOIDC): {
  /** The user whom the application's ID Token names. */
  hintedSub: string | undefined
  /** The value that the form must send back as `xsrf`. */
  xsrf: string
} {
  const hint = ctx.oidc.entities.IdTokenHint as { payload: { sub?: string } } | undefined
  const state = ctx.oidc.session?.state as { secret: string } | undefined
  return { hintedSub: hint?.payload.sub, xsrf: state?.secret ?? '' }
}
