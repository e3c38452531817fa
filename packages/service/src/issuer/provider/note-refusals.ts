import type { EventEmitter } from 'node:events'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { IssuerLogger } from '../context.ts'
import { NotRegisteredFor } from './clients/client-policy.ts'

/** oidc-provider's events for refused requests. */
const REFUSALS = [
  'authorization.error',
  'end_session.error',
  'grant.error',
  'introspection.error',
  'pushed_authorization_request.error',
  'registration_create.error',
  'revocation.error',
  'userinfo.error',
]

/**
 * Logs why a request of an application was refused, at level `debug`: for `latchkey-service dev`
 * and `serve --log-level debug`. A refusal because of the registration, or of a missing `openid`,
 * is a warning. Unregistered redirect URLs are left out, because they have their own warning.
 */
export function noteRefusals(provider: Provider, logger: IssuerLogger): void {
  const note = (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void => {
    if (error instanceof errors.InvalidRedirectUri) return
    const { error: code, error_description: description = error.message, error_detail } = error
    const facts = { code, applicationId: ctx.oidc?.client?.clientId }
    // The response does not say why the application's authentication failed, but the log does.
    const reason = error_detail ? `${description}: ${error_detail}` : description
    const message = `The issuer refused a request: ${reason}`
    const isOpenidMissing = description.startsWith('openid scope must be requested')
    const isForbidden = error instanceof errors.UnauthorizedClient
    if (error instanceof NotRegisteredFor || isForbidden || isOpenidMissing)
      logger.warn(facts, message)
    else logger.debug(facts, message)
  }
  const emitter: EventEmitter = provider
  for (const event of REFUSALS) emitter.on(event, note)
}
