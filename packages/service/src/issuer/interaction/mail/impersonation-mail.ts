import type { Impersonation } from '../../../domain/operators/impersonations.ts'
import { composeMail } from '../../../mail/compose.ts'
import { chooseLanguage } from '../../../pages/index.ts'
import type { Tenant, User } from '../../../store/records.ts'
import type { IssuerContext } from '../../context.ts'
import { issuerUrl } from '../../requests/issuer-url.ts'
import { accountPaths } from '../../requests/paths.ts'

/**
 * Notifies the user that an operator asks to log in as the user, or has logged in. The reason is
 * only on the account page, because an operator's text could contain a link.
 */
export async function tellOfImpersonation(
  context: IssuerContext,
  tenant: Tenant,
  user: User,
  { operator, begunAt }: Pick<Impersonation, 'operator' | 'begunAt'>,
  kind: 'impersonationAsked' | 'impersonated',
): Promise<void> {
  const { companyName, domain } = tenant.settings
  const time = new Date((begunAt ?? 0) / 1e3).toISOString().slice(0, 16).replace('T', ' ')
  const message = composeMail(kind, tenant, user, {
    language: chooseLanguage(user.profile.locale?.replace('_', '-'), undefined),
    link: `${issuerUrl(domain, context)}${accountPaths.support}`,
    values: { operator, time, company: companyName || domain },
  })
  await context.outbox.post(tenant, message, { kind, userId: user.id })
}
