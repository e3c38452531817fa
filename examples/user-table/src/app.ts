import { card, facts, html, page, sessionFacts, verdict } from '@latchkey/example-shared'
import {
  type AuthOptions,
  createAuthRouter,
  createWebhookHandler,
  getUser,
  requireUser,
} from '@latchkey/express'
import type { Users } from '@latchkey/management'
import express, { type Express } from 'express'
import { keepInStep } from './keep-in-step.ts'
import type { Member, Members } from './members.ts'

const site = 'The club'

/** The parts that the application is made of. */
export interface Club {
  readonly auth: AuthOptions
  readonly users: Pick<Users, 'get'>
  readonly members: Members
  readonly webhookSecret: string
}

/** A club with a table of its members, which follows the users of the service. */
export function createApp({ auth, users, members, webhookSecret }: Club): Express {
  const app = express()
  const router = createAuthRouter(auth)
  app.use(router)
  app.post(
    '/webhooks',
    createWebhookHandler({
      secret: webhookSecret,
      onEvent: keepInStep(users, members, (userId) => router.sessions.revokeAll(userId)),
    }),
  )

  /** The row of a user; at the first login it may come before the event. */
  const memberOf = ({
    sub,
    name,
    email,
  }: {
    sub: string
    name?: unknown
    email?: unknown
  }): Member => {
    const values = { userId: sub, name: String(name ?? email), email: String(email) }
    if (!members.find(sub)) members.save({ ...values, state: 'active' }, 0)
    return members.find(sub) as Member
  }

  app.get('/', (req, res) => {
    const { isAuthenticated, user } = req.auth
    const who = isAuthenticated ? card(user) : '<p>You aren’t logged in.</p>'
    const link = '<p class="actions"><a class="button" href="/members">The members</a></p>'
    res.send(page({ site, title: 'The club', user, body: who + link }))
  })

  app.get('/members', requireUser(), (req, res) => {
    const user = getUser(req)
    const own = memberOf(user)
    const rows = members.list().map(({ id, name, state, notes }) => {
      return `<li>${id}: ${html(name)}, ${state}, ${notes} notes</li>`
    })
    const why = 'You are logged in, and a member of the club.'
    const row = facts('Your row in the club', { id: own.id, user_id: own.userId, email: own.email })
    const list = `<h2>The table, kept in step by webhooks</h2><ul>${rows.join('')}</ul>`
    const body = card(user) + verdict('let in', why) + list + row + sessionFacts(req.auth.session)
    res.send(page({ site, title: 'The members', user, body }))
  })

  app.post('/notes', requireUser(), express.urlencoded({ extended: false }), (req, res) => {
    members.addNote(memberOf(getUser(req)), String(req.body.text))
    res.redirect(303, '/members')
  })
  return app
}
