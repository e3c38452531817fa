import Router from '@koa/router'
import { createAuth, getAuth, getUser, requireUser } from '@latchkey/koa'
import Koa from 'koa'

const app = new Koa()
const router = new Router()

// Adds /login, /callback and /logout, and `ctx.state.auth` to every other request.
app.use(createAuth())

router.get('/', (ctx) => {
  ctx.body = getAuth(ctx).isAuthenticated
    ? '<form method="post" action="/logout"><button>Log out</button></form>'
    : '<a href="/login">Log in</a>'
})

// Visitors who aren't logged in are sent to log in, then returned to this page.
router.get('/account', requireUser(), (ctx) => {
  ctx.body = `Logged in as ${getUser(ctx).email}`
})

app.use(router.routes())
app.listen(3000, () => console.log('Listening on http://localhost:3000'))
