import { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import { style } from '@latchkey/example-shared'
import {
  type AuthOptions,
  createAuthRouter,
  getAuth,
  getUser,
  requireUser,
} from '@latchkey/express'
import express, { type Express } from 'express'

/**
 * Scripts, styles and requests of this origin only. There is no `form-action`: browsers apply it to every
 * redirect after a form was sent, and logging out leads to the issuer.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'"

const publicFolder = fileURLToPath(new URL('../public', import.meta.url))

/** The name of this API at the issuer: the "aud" of access tokens for it. */
export const AUDIENCE = 'https://notes.example'

/**
 * An API for a page in plain JavaScript and for programs. Tokens never reach the page, which has a cookie;
 * programs send access tokens.
 */
export function createApp(auth: AuthOptions): Express {
  const app = express()
  const notes = new Map<string, string[]>()
  const changes = new EventEmitter()

  app.use((_req, res, next) => {
    res.set({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' })
    next()
  })
  app.use(express.static(publicFolder))
  app.get('/style.css', (_req, res) => {
    res.type('css').send(style)
  })

  // Adds GET /session, which tells the page who is logged in, beside the three routes.
  app.use(createAuthRouter({ ...auth, bearer: { audience: AUDIENCE } }))

  // The notes of the user, each time that they change, until the session ends: then the page hears of it.
  app.get('/api/events', requireUser({ respond: 'json' }), (req, res) => {
    const { sub } = getUser(req)
    const ended = getAuth(req).ended()
    const send = (mine: string[]): void => void res.write(`data: ${JSON.stringify(mine)}\n\n`)
    const end = (): void => void res.end('event: ended\ndata:\n\n')
    res.type('text/event-stream')
    send(notes.get(sub) ?? [])
    changes.on(sub, send)
    ended.addEventListener('abort', end)
    res.on('close', () => {
      changes.off(sub, send)
      ended.removeEventListener('abort', end)
    })
  })

  // Pages by their session, programs by an access token. Both are answered 401 with problem details, and
  // never sent to a page to log in.
  app.use('/api', requireUser({ accept: ['session', 'bearer'], respond: 'json' }))

  app.get('/api/notes', (req, res) => {
    res.json({ notes: notes.get(getUser(req).sub) ?? [] })
  })

  app.post('/api/notes', express.json({ limit: '10kb' }), (req, res) => {
    const text: unknown = req.body?.text
    if (typeof text !== 'string' || text.trim() === '' || text.length > 200) {
      return void res.status(400).json({ title: 'A note has 1 to 200 characters.' })
    }
    const mine = [...(notes.get(getUser(req).sub) ?? []), text.trim()].slice(-20)
    notes.set(getUser(req).sub, mine)
    changes.emit(getUser(req).sub, mine)
    res.status(201).json({ notes: mine })
  })
  return app
}
