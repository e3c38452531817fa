import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express from 'express'

export const app = express()

app.use(createAuthRouter()) // adds /login, /callback and /logout, and req.auth

app.get('/account', requireUser(), (req, res) => {
  res.json(getUser(req))
})
