import type { Provider } from 'oidc-provider'
import {
  askToImpersonate,
  type Impersonation,
  impersonationState,
  impersonationsOf,
  takeBackQuestion,
  ticketFor,
} from '../../domain/operators/impersonations.ts'
import type { Support } from '../../domain/operators/support.ts'
import { getTenant } from '../../domain/tenants/tenants.ts'
import { getUser } from '../../domain/users/users.ts'
import { nowMicros } from '../../domain/writes/context.ts'
import { found } from '../../domain/writes/errors.ts'
import type { Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import { tellOfImpersonation } from '../interaction/mail/impersonation-mail.ts'
import { issuerUrl } from '../requests/issuer-url.ts'
import { IMPERSONATE_PATH } from '../requests/paths.ts'
import { endActing } from '../sessions/acting.ts'
import { factsFor, tooManyMails } from './facts.ts'

/** Creates the part of {@link Support} for operators' logins as a user. */
export function impersonationsBy(
  context: IssuerContext,
  providerOf: (tenant: Tenant) => Promise<Provider>,
): Pick<Support, 'impersonations' | 'askToImpersonate' | 'impersonate' | 'endImpersonation'> {
  const shownImpersonation = (one: Impersonation) => ({
    ...one,
    state: impersonationState(one, nowMicros(context.domain.clock)),
  })

  return {
    async impersonations(scope, userId) {
      const tenant = await getTenant(scope)
      const found = await impersonationsOf({ context, tenant }, userId)
      return found.map(({ value }) => shownImpersonation(value))
    },

    async askToImpersonate(scope, by, userId, because) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const holder = { context, tenant }
      const facts = factsFor(context, tenant, scope)
      const made = await askToImpersonate(holder, scope.actor, by, user, because, async () => {
        if (!(await context.throttle.admitMail(facts, user.email))) throw tooManyMails()
      })
      if (made.mode === 'asked') {
        await tellOfImpersonation(context, tenant, user, made, 'impersonationAsked')
      }
      return shownImpersonation(made)
    },

    async impersonate(scope, by, userId, id) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const ticket = await ticketFor({ context, tenant }, by, id)
      const issuer = issuerUrl(tenant.settings.domain, context)
      return { action: `${issuer}${IMPERSONATE_PATH}`, ticket, email: user.email }
    },

    async endImpersonation(scope, userId, id) {
      const tenant = await getTenant(scope)
      const holder = { context, tenant }
      found((await impersonationsOf(holder, userId)).find(({ value }) => value.id === id))
      if (await takeBackQuestion(holder, scope.actor, id)) return
      const provider = await providerOf(tenant)
      await endActing({ ...holder, provider }, scope.actor, id, 'operator')
    },
  }
}
