/**
 * The undocumented members of oidc-provider's classes that the issuer replaces or calls. For a
 * method, the value is its number of parameters (`length`).
 *
 * Only members in this table can be replaced. Each member is checked when the service starts.
 */
export const members = {
  'AuthorizationCode.IN_PAYLOAD': 'accessor',
  'AuthorizationCode.prototype.consume': 0,
  'AuthorizationCode.prototype.resourceIndicators': 'accessor',
  'AuthorizationCode.prototype.save': 0,
  'Client.find': 1,
  'Client.prototype.backchannelLogout': 2,
  'Client.prototype.compareClientSecret': 1,
  'Client.prototype.grantTypeAllowed': 1,
  'Client.prototype.includeSid': 0,
  'Client.prototype.responseModeAllowed': 3,
  'DeviceCode.IN_PAYLOAD': 'accessor',
  'DeviceCode.prototype.consume': 0,
  'DeviceCode.prototype.save': 0,
  'Grant.adapter': 'accessor',
  'IdToken.prototype.issue': 0,
  'IdToken.prototype.payload': 0,
  'IdToken.prototype.set': 2,
  'Interaction.IN_PAYLOAD': 'accessor',
  'Interaction.find': 1,
  'Interaction.prototype.persist': 0,
  'Interaction.prototype.save': 1,
  'OIDCContext.prototype.account': 'accessor',
  'OIDCContext.prototype.acr': 'accessor',
  'OIDCContext.prototype.client': 'accessor',
  'OIDCContext.prototype.prompts': 'accessor',
  'OIDCContext.prototype.requestParamOIDCScopes': 'accessor',
  'Provider.ctx': 'accessor',
  'Provider.prototype.cookieName': 1,
  'Provider.prototype.createContext': 2,
  'Provider.prototype.registerGrantType': 4,
  'PushedAuthorizationRequest.prototype.save': 1,
  'RefreshToken.IN_PAYLOAD': 'accessor',
  'RefreshToken.find': 0,
  'RefreshToken.prototype.consume': 0,
  'RefreshToken.prototype.generateTokenId': 0,
  'RefreshToken.prototype.save': 0,
  'RefreshToken.revokeByGrantId': 1,
  'ReplayDetection.unique': 3,
  'Session.IN_PAYLOAD': 'accessor',
  'Session.findByUid': 1,
  'Session.get': 1,
  'Session.prototype.destroy': 0,
  'Session.prototype.grantIdFor': 2,
  'Session.prototype.loginAccount': 1,
  'Session.prototype.past': 1,
  'Session.prototype.persist': 0,
  'Session.prototype.save': 1,
} as const satisfies Readonly<Record<string, number | 'accessor'>>

/** The path of a member in this table: its class, and its name there. */
export type Member = keyof typeof members
