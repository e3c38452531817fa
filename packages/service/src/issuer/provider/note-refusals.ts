import type { EventEmitter } from 'node:events'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { IssuerLogger } from '../context.ts'

/** The events by which oidc-provider says that it refused a request. */
const REFUSALS = [
  'authorization.error',
  'end_session.error',
  'grant.error',
  'introspection.error',
  'pushed_authorization_request.error',
  'revocation.error',
  'userinfo.error',
]

/**
 * Logs at level `debug` why a request of an application was refused: for `latchkey-service dev`, and for
 * `serve --log-level debug`. Redirect URLs that are not registered have a warning of their own.
 */
export function noteRefusals(provider: Provider, logger: IssuerLogger): void {
  const note = (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void => {
    if (error instanceof errors.InvalidRedirectUri) return
    const { error: code, error_description: description = error.message } = error
    const facts = { code, applicationId: ctx.oidc?.client?.clientId }
    logger.debug(facts, `The issuer refused a request: ${description}`)
  }
  const emitter: EventEmitter = provider
  for (const event of REFUSALS) emitter.on(event, note)
}
