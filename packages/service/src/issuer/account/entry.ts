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
  /** The token that the forms of the page must send back. */
  csrf: string
}

/**
 * Lets a user in whose login is valid and would be accepted for an application. For changes, the
 * login must also be recent, and as strong as the user's own factors allow. Everybody else is sent
 * to log in, and `undefined` is the result.
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
    // As for every application, the login for this page asks for the proof of the address and for a
    // second step.
    const isIn =
      isAdmitted(user, tenant.settings) &&
      (isActing || !(await lacksSecondStep({ context, tenant, user, acr }, request)))
    if (!isForChanges && isIn) return visit
    // The login of an operator is not one of the user, however recent. A recovery code must be
    // enough for a user who has lost a key.
    const hasOwn = factors.hasPassword || factors.social.length === 0
    const first = hasOwn ? firstMethod(tenant.settings) : 'social'
    const strongest = levelOf([first, ...factors.methods])
    const own = isAtLeast(strongest, 'mfa') ? 'mfa' : strongest
    wanted = own === 'single' ? undefined : acrOf[own]
    const age = context.domain.clock.now() / 1000 - authTimeOf(session)
    const isStrong = isAtLeast(levelOfAcr(acr ?? '') ?? 'single', own)
    if (isIn && !isActing && age <= lifetimes.recentLoginSeconds && isStrong) return visit
  }
  // The visitor comes from a login that did not reach the requested strength. Asking again would
  // loop forever.
  if (url.searchParams.has('login')) {
    const link = { href: url.pathname, text: 'tooManyBack' } as const
    show(flow, 403, 'message', { title: 'errorTitle', text: 'securityRefused', link })
  } else redirect(response, accountLogin(facts.issuer, nameOf(url.pathname), wanted))
  return undefined
}

/** Leads back from a login to the page for which it was. */
export function comeBack({ url, response }: FlowRequest): void {
  const { searchParams } = url
  // The code is dropped: what the login was for is in the session.
  const ended = searchParams.has('error') ? 'refused' : 'back'
  redirect(response, `${pathOf(searchParams.get('state'))}?login=${ended}`)
}

function nameOf(pathname: string): string {
  const page = Object.entries(accountPaths).find(([, path]) => path === pathname)
  return page?.[0] ?? 'security'
}

/** Anybody can make up where a browser comes back to: it is a page of the account in any case. */
function pathOf(name: string | null): string {
  const page = Object.entries(accountPaths).find(([known]) => known === name)
  return page?.[1] ?? accountPaths.overview
}
