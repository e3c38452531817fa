import { UserManager } from 'oidc-client-ts'

// #region page
/** Logs users in from a page without a server; `issuer` and `clientId` are those of the console. */
export function createUsers({ issuer, clientId }) {
  return new UserManager({
    authority: issuer,
    client_id: clientId,
    redirect_uri: `${location.origin}/callback`,
    post_logout_redirect_uri: location.origin,
    scope: 'openid email profile offline_access',
  })
}
// #endregion
