import { inviterOf, operatorsOf } from '../../domain/operators/operators.ts'
import type { Support } from '../../domain/operators/support.ts'
import { getTenant, lookUpTenant } from '../../domain/tenants/tenants.ts'
import { getUser } from '../../domain/users/users.ts'
import { composeMail } from '../../mail/compose.ts'
import type { Language } from '../../pages/index.ts'
import { translator } from '../../pages/texts/index.ts'
import type { Operator, OperatorRole, Reach } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import type { IssuerContext } from '../context.ts'
import { tellReaddressed } from '../interaction/mail/messages.ts'
import { factsFor, languageOf } from './facts.ts'

/**
 * Creates the part of {@link Support} for messages to users and operators about changes by
 * operators, and about webhooks that fail.
 */
export function noticesOf(
  context: IssuerContext,
): Pick<
  Support,
  'tellOfMove' | 'tellOfRole' | 'mailInvitation' | 'tellOfAcceptance' | 'tellOfWebhook'
> {
  return {
    async tellOfMove(scope, { before, email, standing }) {
      const tenant = await getTenant(scope)
      const facts = factsFor(context, tenant, scope)
      await tellReaddressed(
        context,
        { facts, language: languageOf(before) },
        before,
        { email },
        standing,
      )
    },

    async tellOfRole(scope, { operator, before, by }) {
      const own = { ...scope, tenantId: SYSTEM_TENANT_ID }
      const [tenant, user] = await Promise.all([getTenant(own), getUser(own, operator.id)])
      const language = languageOf(user)
      const { role } = operator
      const values = {
        ...(await accessIn(context, language, operator)),
        before: roleIn(language, before.role),
        by: by ?? translator(language)('mailRoleByCommand'),
      }
      const message = composeMail('role', tenant, user, {
        ...{ language, values },
        ...(before.role === role && { text: 'mailReachText' }),
      })
      await context.outbox.post(tenant, message, { kind: 'role', userId: user.id })
    },

    async mailInvitation(scope, { invited, link, by, isStepForced }) {
      const { operator, user } = invited
      const tenant = await getTenant({ ...scope, tenantId: SYSTEM_TENANT_ID })
      const language = languageOf(user)
      const access = await accessIn(context, language, operator)
      const message = composeMail('operatorInvite', tenant, user, {
        ...{ language, link },
        ...(!isStepForced && { text: 'mailOperatorInviteTextOfOneStep' }),
        values: { by, ...access, host: new URL(link).host },
      })
      await context.outbox.post(tenant, message, { kind: 'operatorInvite', userId: user.id })
    },

    async tellOfAcceptance(scope, { operator, user }) {
      const tenant = await getTenant({ ...scope, tenantId: SYSTEM_TENANT_ID })
      const inviter = await inviterOf(scope, operator.id)
      if (!inviter) return
      const language = languageOf(inviter)
      const values = { email: user.email, role: roleIn(language, operator.role) }
      const kind = 'operatorJoined'
      const message = composeMail(kind, tenant, inviter, { language, values })
      await context.outbox.post(tenant, message, { kind, userId: inviter.id })
    },

    async tellOfWebhook(scope, { url, reason }) {
      const [system, tenant] = await Promise.all(
        [SYSTEM_TENANT_ID, scope.tenantId].map((id) => lookUpTenant(context.domain, id)),
      )
      if (!system || !tenant) return
      const kind = reason === 'gone' ? 'webhookGone' : 'webhookFailing'
      // The message names only the host, because the path of an endpoint may be secret.
      const values = { host: new URL(url).host, tenant: tenant.settings.domain }
      for (const { user } of await operatorsOf(scope)) {
        const message = composeMail(kind, system, user, { language: languageOf(user), values })
        await context.outbox.post(system, message, { kind, userId: user.id })
      }
    },
  }
}

/** The role of an operator and the tenants that the operator sees, in words. */
async function accessIn(
  context: IssuerContext,
  language: Language,
  { role, reach }: Pick<Operator, 'role' | 'reach'>,
): Promise<{ role: string; tenants: string }> {
  return { role: roleIn(language, role), tenants: await tenantsIn(context, language, reach) }
}

function roleIn(language: Language, role: OperatorRole): string {
  return translator(language)(`roleName_${role}`)
}

/** The tenants that an operator sees, by their domains. A tenant that is gone has its id. */
async function tenantsIn(
  { domain }: IssuerContext,
  language: Language,
  reach: Reach,
): Promise<string> {
  if (reach === 'all') return translator(language)('mailRoleAllTenants')
  const tenants = await Promise.all(reach.map((id) => lookUpTenant(domain, id)))
  return tenants.map((tenant, at) => tenant?.settings.domain ?? reach[at]).join(', ')
}
