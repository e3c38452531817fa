import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'
import { companyPage, homePage } from './pages.ts'

/** A customer of this application, whose people log in at a provider of their own. */
export interface Company {
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** The companies by the name in their address. */
export type Companies = Readonly<Record<string, Company>>

/** One application for several companies. A user logs in at the provider of the company that they chose. */
export function createApp(
  companies: Companies,
  auth: Pick<AuthOptions, 'baseUrl' | 'session' | 'allowPrivateIssuers'>,
): Express {
  const app = express()

  // The choice is a cookie of the application's own. It holds no secret and grants nothing: a login and
  // a session are bound to the provider they began with, and count for no other.
  app.post('/company/:key', (req, res) => {
    if (!companyOf(companies, req.params.key)) return void res.status(404).send('No such company.')
    res.cookie('company', req.params.key, { httpOnly: true, sameSite: 'lax', path: '/' })
    res.redirect(303, '/account')
  })

  app.use(
    createAuthRouter({
      ...auth,
      // Asked for every request that needs a provider; it may be asynchronous and read a table. Each
      // company registers a redirect URI of its own, `redirectUriFor({ baseUrl, issuer })`, so that one
      // company's provider cannot have the codes of another sent to itself.
      issuer: (request) => chosen(companies, request.headers.get('cookie')),
    }),
  )

  app.get('/', (req, res) => {
    res.send(homePage(companies, chosen(companies, req.headers.cookie), req.auth))
  })

  app.get('/account', requireUser(), (req, res) => {
    const company = chosen(companies, req.headers.cookie)
    res.send(companyPage(company, getUser(req), req.auth.session))
  })
  return app
}

/** The company that the visitor chose, or else the first. */
function chosen(companies: Companies, cookies: string | null | undefined): Company {
  const [, key = ''] = /(?:^|;\s*)company=([\w-]+)/.exec(cookies ?? '') ?? []
  return companyOf(companies, key) ?? (Object.values(companies)[0] as Company)
}

function companyOf(companies: Companies, key: string): Company | undefined {
  return Object.hasOwn(companies, key) ? companies[key] : undefined
}
