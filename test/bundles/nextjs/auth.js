import { createAuth } from '@latchkey/nextjs'
import { createSessionStore } from '@latchkey/session-store'

export const auth = createAuth(() => ({
  issuer: process.env.ISSUER,
  clientId: process.env.CLIENT_ID,
  clientSecret: process.env.CLIENT_SECRET,
  baseUrl: process.env.BASE_URL,
  session: {
    secret: 'a secret of tests that protects nothing',
    store: createSessionStore({ url: process.env.REDIS_URL }),
  },
}))
