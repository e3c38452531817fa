import { createAuthRouter, requireUser } from '@latchkey/express'
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

// Whoever is not signed in logs in first, and lands here.
app.get('/account', requireUser(), (req, res) => {
  res.type('text').send(`Signed in as ${req.auth.user.email}`)
})

app.listen(3000, () => console.log('Listening on http://localhost:3000'))
