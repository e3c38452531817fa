import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'
import { compactDecrypt, decodeJwt, type JWTPayload } from 'jose'

/** The store of express-session as the old application has it. */
interface OldStore {
  get(id: string, done: (error: unknown, session?: unknown) => void): void
}

/** An application whose users come with sessions of express-openid-connect. */
export function adoptAppSession(connection: AuthOptions, oldSecret: string): Express {
  const app = express()
  // #region express-openid-connect
  const key = new Uint8Array(hkdfSync('sha256', oldSecret, '', 'JWE CEK', 32))

  app.use(
    createAuthRouter({
      ...connection,
      session: {
        ...connection.session,
        adopt: {
          cookie: 'appSession',
          async read(cookie) {
            const opened = await compactDecrypt(cookie, key).catch(() => undefined)
            if (!opened) return undefined
            const { iat = 0, exp = 0 } = opened.protectedHeader as JWTPayload
            if (exp <= Date.now() / 1000) return undefined
            const { id_token: idToken } = JSON.parse(new TextDecoder().decode(opened.plaintext))
            const user = decodeJwt<{ sub: string; sid?: string }>(idToken)
            // The cookie changes with every request: this names the session.
            return { user, startedAt: iat, idToken, id: `${user.sub} ${user.sid} ${iat}` }
          },
        },
      },
    }),
  )
  // #endregion
  app.get('/account', requireUser(), (req, res) => void res.send(`Hello ${getUser(req).name}`))
  app.get('/keys', requireUser({ maxAge: 300 }), (_req, res) => void res.send('Your keys'))
  return app
}

/** An application whose users come with sessions of passport in express-session. */
export function adoptPassport(
  connection: AuthOptions,
  oldSecret: string,
  oldStore: OldStore,
): Express {
  const app = express()
  // #region passport
  app.use(
    createAuthRouter({
      ...connection,
      session: {
        ...connection.session,
        adopt: {
          cookie: 'connect.sid',
          async read(cookie) {
            const [, id = '', signature = ''] = /^s:(.+)\.([^.]+)$/.exec(cookie) ?? []
            const expected = createHmac('sha256', oldSecret).update(id).digest()
            const given = Buffer.from(signature, 'base64')
            if (given.length !== expected.length || !timingSafeEqual(given, expected))
              return undefined
            const session = await readOldSession(id)
            const user = session?.passport?.user
            return user && { user: { sub: user.id, name: user.displayName } }
          },
        },
      },
    }),
  )

  // serializeUser of the old application decides what there is in passport.user.
  interface OldSession {
    passport?: { user?: { id: string; displayName: string } }
  }

  function readOldSession(id: string): Promise<OldSession | undefined> {
    return new Promise((resolve, reject) => {
      oldStore.get(id, (error, session) => (error ? reject(error) : resolve(session as OldSession)))
    })
  }
  // #endregion
  app.get('/account', requireUser(), (req, res) => void res.send(`Hello ${getUser(req).name}`))
  return app
}
