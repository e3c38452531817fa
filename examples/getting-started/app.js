import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express from 'express'

const app = express()

// Adds /login, /callback and /logout, and `req.auth` to every other request.
app.use(createAuthRouter())

app.get('/', (req, res) => {
  res.send(
    req.auth.isAuthenticated
      ? '<form method="post" action="/logout"><button>Log out</button></form>'
      : '<a href="/login">Log in</a>',
  )
})

// Visitors who aren't logged in are sent to log in, then returned to this page.
app.get('/account', requireUser(), (req, res) => {
  res.type('text').send(`Logged in as ${getUser(req).email}`)
})

app.listen(3000, (error) => {
  if (error) throw error
  console.log('Listening on http://localhost:3000')
})
