import { createSessionStore } from '@latchkey/session-store'
import express from 'express'
import expressSession from 'express-session'

const secret = process.env.SESSION_SECRET ?? 'a secret of at least 32 characters'
const store = createSessionStore({ url: process.env.REDIS_URL, secret }).forExpressSession()

export const app = express()

app.use(expressSession({ secret, store, resave: false, saveUninitialized: false }))
app.get('/', (req, res) => {
  const session = req.session as { visits?: number }
  session.visits = (session.visits ?? 0) + 1
  res.send(`Visit ${session.visits}`)
})
