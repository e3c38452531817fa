import { type Factors, readFactors } from '../../domain/factors/factors.ts'
import { isAdmitted } from '../../domain/users/accounts.ts'
import { lookUpUser } from '../../domain/users/users.ts'
import { acrOf, isAtLeast, levelOf, levelOfAcr } from '../../domain/ways/assurance.ts'
import { firstMethod } from '../../domain/ways/login-methods.ts'
import { isLoginValid } from '../../domain/ways/valid-logins.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import type { User } from '../../store/records.ts'
import { authTimeOf } from '../engine/login-facts.ts'
import { readSession, type Session } from '../engine/session.ts'
import { csrfToken } from '../interaction/flow/flow-path.ts'
import { type FlowRequest, show } from '../interaction/flow/flow-request.ts'
import { lacksSecondStep } from '../interaction/progress/second-step.ts'
import { redirect } from '../requests/http.ts'
import { accountPaths } from '../requests/paths.ts'
import { accountLogin } from './client.ts'

/** A user who may see a page of the account. */
export interface Visit {
  user: User
  session: Session
  factors: Factors
  /** The token that every form of the page must contain. */
  csrf: string
}

/**
 * Admits a user whose login is valid and strong enough for an application. For changes, the login
 * must also be recent, and as strong as the user's own factors allow. All others are redirected to
 * log in, and the result is `undefined`.
 */
export async function enter(flow: FlowRequest, isForChanges: boolean): Promise<Visit | undefined> {
  const { context, provider, tenant, facts, request, response, url } = flow
  const session = await readSession(provider, request, response)
  const { accountId, loginTs, keptAt, acr, acting } = session
  const isActing = facts.acting !== undefined
  const counts = accountId !== undefined && (!acting || isActing)
  const user = counts ? await lookUpUser(context.domain, tenant.id, accountId) : undefined
  let wanted: string | undefined
  if (user && isLoginValid(user, loginTs, keptAt)) {
    const factors = await readFactors(context.domain, tenant.id, tenant.settings, user.id)
    const visit = { user, session, factors, csrf: csrfToken(session.uid) }
    // Like every application, this page requires a verified address and the second step that a rule
    // demands.
    const isIn =
      isAdmitted(user, tenant.settings) &&
      (isActing || !(await lacksSecondStep({ context, tenant, user, acr }, request)))
    if (!isForChanges && isIn) return visit
    // At most `mfa` is required, so that a recovery code is enough: a user may have lost a key. The
    // login of an operator is never sufficient for changes.
    const hasOwn = factors.hasPassword || factors.social.length === 0
    const first = hasOwn ? firstMethod(tenant.settings) : 'social'
    const strongest = levelOf([first, ...factors.methods])
    const own = isAtLeast(strongest, 'mfa') ? 'mfa' : strongest
    wanted = own === 'single' ? undefined : acrOf[own]
    const age = context.domain.clock.now() / 1000 - authTimeOf(session)
    const isStrong = isAtLeast(levelOfAcr(acr ?? '') ?? 'single', own)
    if (isIn && !isActing && age <= lifetimes.recentLoginSeconds && isStrong) return visit
  }
  // The visitor has just logged in without reaching the required strength. Another redirect would
  // cause a loop.
  if (url.searchParams.has('login')) {
    const link = { href: url.pathname, text: 'tooManyBack' } as const
    show(flow, 403, 'message', { title: 'errorTitle', text: 'securityRefused', link })
  } else redirect(response, accountLogin(facts.issuer, nameOf(url.pathname), wanted))
  return undefined
}

/** Redirects from a login to the page that required it. */
export function comeBack({ url, response }: FlowRequest): void {
  const { searchParams } = url
  // The code is ignored, because the session has everything that the page needs.
  const ended = searchParams.has('error') ? 'refused' : 'back'
  redirect(response, `${pathOf(searchParams.get('state'))}?login=${ended}`)
}

function nameOf(pathname: string): string {
  const page = Object.entries(accountPaths).find(([, path]) => path === pathname)
  return page?.[0] ?? 'security'
}

/**
 * The page to return to. Anyone can send a browser here with any name, so only pages of the account
 * are accepted. Default: the overview.
 */
function pathOf(name: string | null): string {
  const page = Object.entries(accountPaths).find(([known]) => known === name)
  return page?.[1] ?? accountPaths.overview
}
