import { createSessionStore } from '@latchkey/session-store'
import { RedisStore } from 'connect-redis'
import express from 'express'
import session from 'express-session'
import { listening, port } from './settings.js'

const secret = 'a secret of tests that protects nothing'
const sessions = createSessionStore({ url: process.env.REDIS_URL, secret })
const store = sessions.forExpressSession({ RedisStore })

// express-session without the kit counts how often a visitor came.
const app = express()
app.use(session({ secret, store, resave: false, saveUninitialized: false }))
app.get('/visits', (req, res) => {
  req.session.visits = (req.session.visits ?? 0) + 1
  res.json(req.session.visits)
})
app.listen(port, listening)
