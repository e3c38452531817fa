import { createSessionStore } from '@latchkey/session-store'

/** The options of every application, as a function of a serverless platform has them. */
export const options = {
  issuer: process.env.ISSUER,
  clientId: process.env.CLIENT_ID,
  clientSecret: process.env.CLIENT_SECRET,
  baseUrl: process.env.BASE_URL,
  session: {
    secret: 'a secret of tests that protects nothing',
    store: createSessionStore({ url: process.env.REDIS_URL }),
  },
}

export const port = Number(process.env.PORT)

export const listening = () => void process.stdout.write('listening\n')
