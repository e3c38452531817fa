import { type AuthOptions, createAuthRouter } from '@latchkey/express'
import express, { type Express } from 'express'

/** An application that tells users of logins in new browsers. */
export function withNewDevices(
  connection: AuthOptions,
  sendMail: (to: unknown, text: string) => Promise<void>,
): Express {
  const app = express()
  // #region new-device
  app.use(
    createAuthRouter({
      ...connection,
      hooks: {
        async onNewDevice({ user, device = 'an unknown browser' }) {
          await sendMail(user.email, `There was a login to your account with ${device}.`)
          return undefined
        },
      },
    }),
  )
  // #endregion
  return app
}
