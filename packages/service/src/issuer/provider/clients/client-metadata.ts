import type { AdapterPayload } from 'oidc-provider'
import { exceptionKeys, exceptionsOf } from '../../../domain/applications/application-exceptions.ts'
import {
  CLIENT_KEYS_URI_KEY,
  clientKeysOf,
  FAPI_2,
  isOnFapi,
  PROFILE_KEY,
} from '../../../domain/applications/application-profile.ts'
import { RESOURCES_KEY, resourcesOf } from '../../../domain/applications/application-resources.ts'
import { allowedScopes } from '../../../domain/applications/application-scopes.ts'
import {
  BACKCHANNEL_LOGOUT_KEY,
  workingUrls,
} from '../../../domain/applications/application-urls.ts'
import { openEarlierSecret, openSecret } from '../../../domain/applications/applications.ts'
import { isDay, SECOND_STEP_KEY } from '../../../domain/tenants/second-step-rule.ts'
import { type DomainContext, nowMicros } from '../../../domain/writes/context.ts'
import type { Application, Metadata } from '../../../store/records.ts'
import { DEVICE_GRANT } from '../../engine/device-code.ts'

/**
 * The names of the client metadata with the secret before the last rotation and with its expiry, in
 * microseconds since the epoch.
 */
export const EARLIER_SECRET = 'latchkey_earlier_secret'
export const EARLIER_SECRET_UNTIL = 'latchkey_earlier_secret_until'

/**
 * An application in oidc-provider's form of a client.
 *
 * A client without redirect URLs has no response types, because oidc-provider refuses to load a
 * client that has response types but no redirect URLs.
 *
 * @param developerMode - Whether the tenant is in developer mode now. The mode in which the URLs
 *   were stored does not matter.
 * @see OpenID Connect Dynamic Client Registration 1.0 §2
 */
export function clientMetadata(
  context: DomainContext,
  application: Application,
  developerMode: boolean,
): AdapterPayload {
  const isFapi = isOnFapi(application.metadata)
  const redirectUrls = workingUrls(application.redirectUrls, application, developerMode && !isFapi)
  const canLogIn = redirectUrls.length > 0
  const exceptions = exceptionsOf(application.metadata)
  const { isPkceOptional, isNonceOptional, isPublic, isNative, isRefreshRepeatRefused } = exceptions
  const secondStepFrom = application.metadata[SECOND_STEP_KEY]
  const hasDeviceLogins = exceptions.hasDeviceLogins && !isFapi
  const backchannelLogoutUri = application.metadata[BACKCHANNEL_LOGOUT_KEY]
  return {
    client_id: application.id,
    ...(isFapi
      ? fapiMetadata(application.metadata)
      : isPublic
        ? { token_endpoint_auth_method: 'none' }
        : secretsOf(context, application)),
    ...(isNative && { application_type: 'native' }),
    ...(isPkceOptional && { [exceptionKeys.pkce]: 'optional' }),
    ...(isNonceOptional && { [exceptionKeys.nonce]: 'optional' }),
    ...(isRefreshRepeatRefused && { [exceptionKeys.refreshRepeat]: 'refused' }),
    ...(isDay(secondStepFrom) && { [SECOND_STEP_KEY]: secondStepFrom }),
    [RESOURCES_KEY]: resourcesOf(application.metadata),
    client_name: application.name || undefined,
    scope: allowedScopes(application.metadata)?.join(' '),
    redirect_uris: redirectUrls,
    post_logout_redirect_uris: logoutUrls(application, developerMode),
    response_types: canLogIn ? ['code'] : [],
    grant_types: [
      ...(canLogIn ? ['authorization_code'] : []),
      ...(hasDeviceLogins ? [DEVICE_GRANT] : []),
      ...(canLogIn || hasDeviceLogins ? ['refresh_token'] : []),
      ...(exceptions.hasOwnTokens ? ['client_credentials'] : []),
    ],
    ...(isWebUrl(backchannelLogoutUri) && {
      backchannel_logout_uri: backchannelLogoutUri,
      backchannel_logout_session_required: true,
    }),
  }
}

/**
 * The client metadata of an application with the FAPI 2.0 profile.
 *
 * @see FAPI 2.0 Security Profile §5.3.2.1, §5.3.2.2, §5.4.1
 */
function fapiMetadata(metadata: Metadata): Partial<AdapterPayload> {
  const { listed, url } = clientKeysOf(metadata)
  return {
    [PROFILE_KEY]: FAPI_2,
    // `jwks_uri` is left out, because oidc-provider would keep using keys that are no longer
    // published.
    jwks: listed as AdapterPayload['jwks'],
    ...(url !== undefined && { [CLIENT_KEYS_URI_KEY]: url }),
    token_endpoint_auth_method: 'private_key_jwt',
    require_pushed_authorization_requests: true,
    dpop_bound_access_tokens: true,
    id_token_signed_response_alg: 'PS256',
  }
}

/**
 * The post-logout redirect URLs. A bare origin is listed with and without the final slash. Both are
 * the same URL (RFC 9110 §4.2.3), but oidc-provider compares strings, and libraries send either
 * form.
 */
function logoutUrls(application: Application, developerMode: boolean): string[] {
  const urls = workingUrls(application.logoutUrls, application, developerMode).flatMap((url) => {
    const { origin, href } = new URL(url)
    return href === `${origin}/` ? [origin, href] : url
  })
  return [...new Set(urls)]
}

function secretsOf(context: DomainContext, application: Application): Partial<AdapterPayload> {
  const earlier = openEarlierSecret(context, application)
  return {
    client_secret: openSecret(context, application),
    ...(earlier && { [EARLIER_SECRET]: earlier.secret, [EARLIER_SECRET_UNTIL]: earlier.until }),
  }
}

/** The client secret before the last rotation, if it is still accepted. */
export function earlierSecret(
  client: Readonly<Record<string, unknown>>,
  { clock }: DomainContext,
): string | undefined {
  const { [EARLIER_SECRET]: secret, [EARLIER_SECRET_UNTIL]: until } = client
  const isAccepted = typeof until === 'number' && nowMicros(clock) < until
  return typeof secret === 'string' && isAccepted ? secret : undefined
}

/**
 * Whether a metadata value is an HTTP or HTTPS URL without a fragment. Metadata is free text, so an
 * invalid URL must not break the login.
 */
function isWebUrl(text: string | undefined): text is string {
  const url = text === undefined ? null : URL.parse(text)
  return (url?.protocol === 'https:' || url?.protocol === 'http:') && !url.hash
}
