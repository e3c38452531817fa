import type { Configuration, JWK, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { lookUpUser } from '../../domain/users/users.ts'
import { note } from '../../domain/writes/audit.ts'
import { type PageName, type Pages, renderPage } from '../../pages/index.ts'
import type { IssuerContext } from '../context.ts'
import { clientOfLogout, logoutQuestion, setClientApart } from '../engine/request.ts'
import { readSession, type Session } from '../engine/session.ts'
import { bannerOf } from '../interaction/flow/acting-banner.ts'
import { makeChanges } from '../provider/request-changes.ts'
import { lastApplication } from '../requests/application-cookie.ts'
import { brandingFor, wayToApplication } from '../requests/branding.ts'
import { jwtParts } from '../requests/jwt-parts.ts'
import { paths } from '../requests/paths.ts'
import { factsOf, scopeOfRequest } from '../requests/request-facts.ts'
import { actingOf, noteActingLogout } from './acting.ts'
import { endSession } from './end-session.ts'

type LogoutFeature = NonNullable<NonNullable<Configuration['features']>['rpInitiatedLogout']>

/**
 * The member of discovery which says that `logout_hint` may be a `sid`. No specification defines
 * such a member.
 */
export const logoutDiscovery = { latchkey_logout_hint: 'sid' }

/**
 * Creates the RP-initiated logout of oidc-provider.
 *
 * With an ID token of the logged-in user, or the `sid` of the user's session at the application,
 * the logout is done at once. Otherwise the user is asked, because anyone can send a browser here.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2
 */
export function createLogout(context: IssuerContext): LogoutFeature {
  return {
    enabled: true,

    async logoutSource(ctx) {
      const { session, provider } = ctx.oidc
      const { hintedSub, xsrf } = logoutQuestion(ctx)
      const { accountId } = session ?? {}
      const isNamed = hintedSub === accountId || isSidOf(session, ctx)
      if (session && accountId !== undefined && isNamed) {
        await endSession(context, provider, session)
        await makeChanges(context.protocol)
        await noteLogout(context, ctx, session)
        ctx.oidc.cookies.set(provider.cookieName('session'), null, { httpOnly: true })
        return leave(ctx)
      }
      setClientApart(ctx)
      const { tenant } = factsOf(ctx.req)
      const user = session?.accountId
        ? await lookUpUser(context.domain, tenant.id, session.accountId)
        : undefined
      const { companyName, logoImageText, domain } = tenant.settings
      await send(context, ctx, 'confirmLogout', {
        action: ctx.oidc.urlFor('end_session_confirm'),
        xsrf,
        email: user?.email ?? '',
        company: companyName || logoImageText || domain,
      })
    },

    async postLogoutSuccessSource(ctx) {
      const { tenant } = factsOf(ctx.req)
      const applicationId = ctx.oidc.client?.clientId ?? lastApplication(ctx.req)
      const link = await wayToApplication(context, tenant, applicationId, 'continueTo')
      // Users who have declined also come here.
      const { accountId, acting } = await readSession(ctx.oidc.provider, ctx.req, ctx.res)
      const user = accountId && !acting && (await lookUpUser(context.domain, tenant.id, accountId))
      if (!user)
        return send(context, ctx, 'message', {
          title: 'loggedOutTitle',
          text: 'loggedOutText',
          link,
        })
      const values = { email: user.email }
      await send(context, ctx, 'message', {
        title: 'signedInTitle',
        text: 'signedInText',
        values,
        link,
      })
    },
  }
}

/**
 * Whether the application sent the `sid` of this session. The `sid` is random, and different for
 * each application.
 */
function isSidOf(session: Session | undefined, { oidc }: KoaContextWithOIDC): boolean {
  const sid = oidc.client && session?.authorizations?.[oidc.client.clientId]?.sid
  return sid !== undefined && sid === oidc.params?.logout_hint
}

/**
 * The maximum difference between the clocks of two processes, or of one clock before and after it
 * was set, in seconds.
 */
const TOLERANCE_SECONDS = 15

/**
 * Adds middleware that ignores the ID Token of a logout request if the token's key was withdrawn or
 * has expired. The user is then asked for confirmation. oidc-provider would refuse the request, and
 * the user could not log out.
 *
 * A token dated in the future is also ignored: it was signed while the clock was wrong, so it does
 * not prove who is logged in now.
 */
export function askInPlaceOfOldHints(provider: Provider, keys: readonly JWK[]): void {
  const known = new Set(keys.map(({ kid }) => kid))
  provider.use(async (ctx, next) => {
    const { id_token_hint: hint, ...others } = ctx.query
    if (ctx.path === paths.end_session && typeof hint === 'string') {
      const { header, claims } = jwtParts(hint)
      const { kid } = header
      const { iat } = claims
      const isOld = typeof kid === 'string' && !known.has(kid)
      // oidc-provider dates tokens by the clock of the process.
      const latest = Date.now() / 1_000 + TOLERANCE_SECONDS
      const isFromFuture = typeof iat === 'number' && iat > latest
      if (isOld || isFromFuture) ctx.query = others
    }
    return next()
  })
}

/**
 * Skips the confirmation if the visitor is not logged in. oidc-provider would answer with a script.
 */
export function skipNeedlessConfirmation(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next()
    const context = ctx as unknown as KoaContextWithOIDC
    const isAnswered = context.oidc?.route === 'end_session' && ctx.status === 200
    if (isAnswered && context.oidc.session && !context.oidc.session.accountId) leave(context)
  })
}

/**
 * Adds logouts that users confirm to the audit log; oidc-provider itself ends the sessions. Users
 * who stay get a link to the application that they came from.
 */
export function followAnswers(provider: Provider, context: IssuerContext): void {
  provider.use(async (ctx, next) => {
    await next()
    const answered = ctx as unknown as KoaContextWithOIDC
    const { oidc } = answered
    if (oidc?.route !== 'end_session_confirm' || ctx.status !== 303) return
    const session = oidc.session as Session | undefined
    if (oidc.params?.logout) {
      if (session?.accountId) await noteLogout(context, answered, session)
      return
    }
    const clientId = clientOfLogout(answered)
    const page = oidc.urlFor('end_session_success')
    if (clientId === undefined || ctx.response.get('location') !== page) return
    ctx.redirect(`${page}?${new URLSearchParams({ client_id: clientId })}`)
  })
}

function noteLogout(
  context: IssuerContext,
  ctx: KoaContextWithOIDC,
  session: Session,
): Promise<void> {
  const { accountId: userId = '' } = session
  const applicationId = clientOfLogout(ctx)
  const facts = factsOf(ctx.req)
  const scope = scopeOfRequest(context, facts, { userId, applicationId })
  if (session.acting) {
    const { provider } = ctx.oidc
    return noteActingLogout({ context, tenant: facts.tenant, provider }, session, scope.actor)
  }
  return note(scope, 'logout.succeeded', userId)
}

/**
 * Redirects the browser to the URL that the application has requested, or to the issuer's own page.
 */
function leave(ctx: KoaContextWithOIDC): void {
  const params = ctx.oidc.params as { post_logout_redirect_uri?: string; state?: string }
  const target = new URL(params.post_logout_redirect_uri ?? ctx.oidc.urlFor('end_session_success'))
  const isApplication = params.post_logout_redirect_uri !== undefined
  if (isApplication && params.state !== undefined) target.searchParams.set('state', params.state)
  ctx.status = 303
  ctx.redirect(target.href)
  ctx.body = ''
}

async function send<Name extends PageName>(
  context: IssuerContext,
  ctx: KoaContextWithOIDC,
  name: Name,
  page: Pages[Name],
): Promise<void> {
  const { tenant } = factsOf(ctx.req)
  const branding = brandingFor(tenant, ctx.req, ctx.oidc.params?.ui_locales)
  const banner = bannerOf(await actingOf(context, tenant, ctx))
  const { html, headers } = renderPage(name, branding, page, banner)
  ctx.set(headers)
  ctx.body = html
}
