/** The kits whose logins are compared, by their names in `kits.ts`, which loads all of them. */
export const loginKits: readonly string[] = [
  'latchkey',
  'passport-openidconnect',
  'openid-client/passport',
  'express-openid-connect',
  'bare, verified',
  'bare, openid-client',
]
