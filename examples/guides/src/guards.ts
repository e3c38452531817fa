import { getUser, requireUser } from '@latchkey/express'
import type { Express } from 'express'
import { loadDocument } from './documents.ts'

/** Routes that ask for more and more. */
export function addGuardedRoutes(app: Express): void {
  // #region user
  app.get('/account', requireUser(), (req, res) => {
    res.type('text').send(`Hello ${getUser(req).name}`)
  })
  // #endregion

  // #region optional
  app.get('/', (req, res) => {
    const name = req.auth.isAuthenticated ? req.auth.user.name : 'stranger'
    res.type('text').send(`Hello ${name}`)
  })
  // #endregion

  // #region api
  app.use('/api', requireUser({ respond: 'json' }))

  app.get('/api/me', (req, res) => {
    res.json(getUser(req))
  })
  // #endregion

  // #region roles
  app.get('/staff', requireUser({ roles: ['admin', 'editor'] }), (_req, res) => {
    res.send('For admins and for editors')
  })

  app.get('/books', requireUser({ roles: { all: ['staff', 'accounting'] } }), (_req, res) => {
    res.send('For staff who do the accounting')
  })
  // #endregion

  // #region has
  app.get('/menu', (req, res) => {
    const entries = ['Home']
    if (req.auth.has({ roles: ['admin'] })) entries.push('Users')
    res.type('text').send(entries.join(', '))
  })
  // #endregion

  // #region claims
  const verified = requireUser({ claims: { email_verified: true } })
  app.get('/invite', verified, (_req, res) => {
    res.send('For users whose address is verified')
  })

  const member = requireUser({ claims: { org: (org, req) => org === req.params.org } })
  app.get('/orgs/:org', member, (req, res) => {
    res.type('text').send(`For members of ${req.params.org}`)
  })
  // #endregion

  // #region check
  const owner = requireUser({
    check: async (user, req) => {
      const document = await loadDocument(String(req.params.id))
      return document?.ownerId === user.sub
    },
  })
  app.get('/documents/:id', owner, (_req, res) => {
    res.send('For the owner of the document')
  })
  // #endregion

  // #region rehearse
  app.get('/reports', requireUser({ roles: ['auditor'], enforce: false }), (_req, res) => {
    res.send('For auditors soon, and for every user until then')
  })
  // #endregion

  // #region step-up
  app.post('/password', requireUser({ maxAge: 300 }), (_req, res) => {
    res.send('For users who logged in within five minutes')
  })

  app.get('/payments', requireUser({ acr: 'urn:example:mfa' }), (_req, res) => {
    res.send('For users who logged in with two factors')
  })
  // #endregion

  // #region actor
  app.get('/orders', requireUser(), (req, res) => {
    res.send(req.auth.session?.act ? 'Support sees this page' : 'Your orders')
  })

  app.post('/orders', requireUser({ actor: false }), (_req, res) => {
    res.send('For the user alone')
  })
  // #endregion
}
