import { fileURLToPath } from 'node:url'
import { style } from '@latchkey/example-shared'
import { type AuthRouterOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'

/**
 * Scripts, styles and requests of this origin only. There is no `form-action`: browsers apply it to every
 * redirect after a form was sent, and logging out leads to the issuer.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'"

const publicFolder = fileURLToPath(new URL('../public', import.meta.url))

/** An API, and a page in plain JavaScript that calls it. Tokens never reach the page: it has a cookie. */
export function createApp(auth: AuthRouterOptions): Express {
  const app = express()
  const notes = new Map<string, string[]>()

  app.use((_req, res, next) => {
    res.set({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' })
    next()
  })
  app.use(express.static(publicFolder))
  app.get('/style.css', (_req, res) => {
    res.type('css').send(style)
  })

  // Adds GET /session, which tells the page who is logged in, beside the three routes.
  app.use(createAuthRouter(auth))

  // A program is answered 401 with problem details, and never sent to a page to log in.
  app.use('/api', requireUser({ respond: 'json' }))

  app.get('/api/notes', (req, res) => {
    res.json({ notes: notes.get(getUser(req).sub) ?? [] })
  })

  // The cookie is not sent with requests from other sites (SameSite=Lax), and what other sites can send
  // without asking first is not JSON; so no page elsewhere writes notes in somebody's name.
  app.post('/api/notes', express.json({ limit: '10kb' }), (req, res) => {
    const text: unknown = req.body?.text
    if (typeof text !== 'string' || text.trim() === '' || text.length > 200) {
      return void res.status(400).json({ title: 'A note has 1 to 200 characters.' })
    }
    const mine = [...(notes.get(getUser(req).sub) ?? []), text.trim()].slice(-20)
    notes.set(getUser(req).sub, mine)
    res.status(201).json({ notes: mine })
  })
  return app
}
