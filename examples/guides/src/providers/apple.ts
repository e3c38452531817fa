import { type AuthOptions, appleClientSecret } from '@latchkey/express'

/** Sign in with Apple; `privateKey` is the contents of the `.p8` file. */
export function apple(privateKey: string): AuthOptions {
  // #region apple
  const clientId = 'com.example.app' // the Services ID
  const options: AuthOptions = {
    issuer: 'https://appleid.apple.com',
    clientId,
    clientSecret: appleClientSecret({
      clientId,
      teamId: 'ABCDE12345',
      keyId: 'FGHIJ67890',
      privateKey,
    }),
    scope: 'openid name email',
    // Apple sends name and email by this mode alone.
    responseMode: 'form_post',
  }
  // #endregion
  return options
}
