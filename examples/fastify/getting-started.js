import { createAuth, getUser, requireUser } from '@latchkey/fastify'
import fastify from 'fastify'

const app = fastify()

// Adds /login, /callback and /logout, and `request.auth` to every other request.
await app.register(createAuth())

app.get('/', async (request, reply) => {
  reply.type('text/html')
  return request.auth.isAuthenticated
    ? '<form method="post" action="/logout"><button>Log out</button></form>'
    : '<a href="/login">Log in</a>'
})

// Visitors who aren't logged in are sent to log in, then returned to this page.
app.get('/account', { onRequest: requireUser() }, async (request) => {
  return `Logged in as ${getUser(request).email}`
})

await app.listen({ port: 3000 })
console.log('Listening on http://localhost:3000')
