import { accountPage, homePage } from '@latchkey/example-shared'
import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express from 'express'

const site = 'Cluster'

/** The application. Where it logs in is in the environment; how many processes that is, it does not know. */
export const app = express()
app.use(createAuthRouter())

app.get('/', (req, res) => {
  res.send(homePage(site, req.auth.user))
})

app.get('/account', requireUser(), (req, res) => {
  res.send(accountPage(site, getUser(req), req.auth.session))
})
