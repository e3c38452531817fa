import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import express from 'express'

// #region store
const store = createSessionStore({ url: process.env.REDIS_URL })

const auth = createAuthRouter({
  scope: 'openid profile email offline_access',
  session: {
    store,
    idleSeconds: 8 * 3600, // ends after a working day without a request
    absoluteSeconds: 30 * 86_400, // and after a month in any case
    keepAnonymousData: ['cart'],
  },
})
// #endregion

export const app = express()
app.use(auth)

// #region data
import type {} from 'express-session' // the types of req.session

app.post('/cart/:article', (req, res) => {
  req.session.cart = [...(req.session.cart ?? []), req.params.article]
  res.json(req.session.cart)
})

declare module 'express-session' {
  interface SessionData {
    cart: string[]
  }
}
// #endregion

// #region devices
app.get('/devices', requireUser(), async (req, res) => {
  const sessions = await auth.sessions.list(getUser(req).sub)
  res.json(sessions.map(({ id, device, lastSeenAt }) => ({ id, device, lastSeenAt })))
})

app.post('/devices/log-out-others', requireUser(), async (req, res) => {
  const ended = await auth.sessions.revokeAll(getUser(req).sub, { except: req.auth.session?.id })
  res.json({ ended })
})
// #endregion

// #region token
app.get('/orders', requireUser(), async (req, res) => {
  const token = await req.auth.accessToken()
  const answer = await fetch(String(process.env.ORDERS_API), {
    headers: { authorization: `Bearer ${token}` },
  })
  res.status(answer.status).json(await answer.json())
})
// #endregion

// #region health
app.get('/healthz', (_req, res) => {
  const { provider, sessions } = auth.health()
  res.status(sessions === 'unavailable' ? 503 : 200).json({ provider, sessions })
})
// #endregion

/** Lets go of Redis. */
export async function close(): Promise<void> {
  if ('close' in store) await store.close()
}
