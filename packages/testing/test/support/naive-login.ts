import { randomBytes } from 'node:crypto'
import type { LoginAppOptions } from '@latchkey/testing/login'
import express, { type Express, type Request } from 'express'

type Tokens = Readonly<Record<string, string>>

/**
 * A login made by hand as tutorials show it: it believes what comes back, and keeps its session id. Its
 * sessions and its callback work.
 */
export function createNaiveApp(options: LoginAppOptions): Express {
  const { issuer, clientId, clientSecret, baseUrl } = options
  const app = express()
  const users = new Map<string, Tokens>()
  const redirectUri = new URL('/callback', baseUrl).href

  function idOf(req: Request): string | undefined {
    return /(?:^|; )sid=([^;]+)/.exec(req.headers.cookie ?? '')?.[1]
  }

  app.get('/login', (req, res) => {
    const id = idOf(req) ?? randomBytes(16).toString('base64url')
    res.cookie('sid', id)
    const query = new URLSearchParams({
      ...{ client_id: clientId, response_type: 'code', redirect_uri: redirectUri },
      ...{ scope: 'openid', state: String(req.query.returnTo ?? '/') },
    })
    res.redirect(`${issuer}/auth?${query}`)
  })

  app.get('/callback', async (req, res) => {
    const { code, state, error } = req.query as Record<string, string>
    if (error) return void res.status(400).send(`<h1>${error}</h1>`)
    const body = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code: code ?? '', redirect_uri: redirectUri },
    })
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    const answer = await fetch(`${issuer}/token`, {
      ...{ method: 'POST', body, headers: { authorization } },
      signal: AbortSignal.timeout(1000),
    })
    const tokens = (await answer.json()) as Tokens
    // biome-ignore lint/suspicious/noConsole: it is a fault of this login
    console.info('logged in with', tokens)
    const claims = JSON.parse(
      Buffer.from(tokens.id_token?.split('.')[1] ?? '', 'base64url').toString(),
    ) as Tokens
    users.set(idOf(req) ?? '', claims)
    res.redirect(state ?? '/')
  })

  app.get('/account', (req, res) => {
    const user = users.get(idOf(req) ?? '')
    if (!user) return res.redirect('/login')
    res.send(`Hello ${user.email}`)
  })

  app.all('/logout', (req, res) => {
    users.delete(idOf(req) ?? '')
    res.redirect('/')
  })
  return app
}
