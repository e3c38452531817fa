import { type AuthOptions, createAuthRouter, requireUser } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import express from 'express'

/** One process of an application that has several; its settings come as its one argument. */
interface WorkerSettings {
  readonly port: number
  readonly redis: string
  readonly router: AuthOptions
}

const { port, redis, router } = JSON.parse(process.argv[2] ?? '') as WorkerSettings
const app = express()
app.set('env', 'test')
const store = createSessionStore({ url: redis, timeoutMilliseconds: 5000 })
app.use(createAuthRouter({ ...router, session: { ...router.session, store } }))
app.get('/refresh', requireUser(), async (req, res) => {
  res.send(await req.auth.accessToken({ force: true }))
})
app.get('/slow', requireUser(), async (req, res) => {
  const session = req.session as unknown as { late?: boolean }
  session.late = true
  await new Promise((resolve) => process.once('message', resolve))
  res.send(`Hello ${req.auth.user?.sub}`)
})
app.get('/account', requireUser(), (req, res) => {
  res.send(`Hello ${req.auth.user?.sub}`)
})
app.listen(port, '127.0.0.1', () => process.send?.('listening'))
process.on('disconnect', () => process.exit())
