import { nowMicros, type Scope } from '../../domain/writes/context.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import { chooseLanguage, type Language } from '../../pages/index.ts'
import type { Tenant, User } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import { issuerUrl } from '../requests/issuer-url.ts'
import type { RequestFacts } from '../requests/request-facts.ts'

/** The language in the user's profile; otherwise the default language. */
export function languageOf({ profile }: User): Language {
  return chooseLanguage(profile.locale?.replace('_', '-'), undefined)
}

/** The facts about an operator's request, for messages on behalf of the tenant. */
export function factsFor(context: IssuerContext, tenant: Tenant, { actor }: Scope): RequestFacts {
  return {
    tenant,
    issuer: issuerUrl(tenant.settings.domain, context),
    clientIp: actor.address ?? '',
    userAgent: actor.userAgent,
    requestId: actor.requestId ?? '',
    startedAt: nowMicros(context.domain.clock),
  }
}

/** The error for a message to an address to which too many messages were sent. */
export function tooManyMails(): ServiceError {
  return new ServiceError('rate_limited', reason('mail_too_many'), { retryAfterSeconds: 3_600 })
}
