import type { AdapterPayload } from 'oidc-provider'
import { allowedScopes } from '../../domain/application-scopes.ts'
import { BACKCHANNEL_LOGOUT_KEY, workingUrls } from '../../domain/application-urls.ts'
import { openSecret } from '../../domain/applications.ts'
import type { DomainContext } from '../../domain/context.ts'
import type { Application } from '../../store/records.ts'

/**
 * An application as oidc-provider knows its clients.
 *
 * One without redirect URLs cannot log anybody in; it is a client without response types, because
 * oidc-provider refuses to load any other.
 *
 * @param developerMode - Whether the tenant is in it now, whatever it was when the URLs were stored.
 * @see OpenID Connect Dynamic Client Registration 1.0 §2
 */
export function clientMetadata(
  context: DomainContext,
  application: Application,
  developerMode: boolean,
): AdapterPayload {
  const redirectUrls = workingUrls(application.redirectUrls, developerMode)
  const canLogIn = redirectUrls.length > 0
  const backchannelLogoutUri = application.metadata[BACKCHANNEL_LOGOUT_KEY]
  return {
    client_id: application.id,
    client_secret: openSecret(context, application),
    client_name: application.name || undefined,
    scope: allowedScopes(application.metadata)?.join(' '),
    redirect_uris: redirectUrls,
    post_logout_redirect_uris: workingUrls(application.logoutUrls, developerMode),
    response_types: canLogIn ? ['code'] : [],
    grant_types: canLogIn ? ['authorization_code', 'refresh_token'] : [],
    ...(isWebUrl(backchannelLogoutUri) && {
      backchannel_logout_uri: backchannelLogoutUri,
      backchannel_logout_session_required: true,
    }),
  }
}

/** Metadata is the customer's own text: an address that is none must not break the login. */
function isWebUrl(text: string | undefined): text is string {
  const url = text === undefined ? null : URL.parse(text)
  return (url?.protocol === 'https:' || url?.protocol === 'http:') && !url.hash
}
