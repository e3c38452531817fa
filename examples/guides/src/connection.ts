import type { AuthOptions } from '@latchkey/express'

// #region settings
export const connection: AuthOptions = {
  issuer: 'https://login.example.com', // your provider
  clientId: process.env.LATCHKEY_CLIENT_ID,
  clientSecret: process.env.LATCHKEY_CLIENT_SECRET,
  baseUrl: 'https://app.example.com', // your application
  session: { secret: process.env.LATCHKEY_SESSION_SECRET },
}
// #endregion
