import diagnostics from 'node:diagnostics_channel'
import { requireUser } from '@latchkey/express'
import type { Fault } from '@latchkey/testing/misbehaving-provider'
import { expect, test, vi } from 'vitest'
import { SESSION_SECRET } from './support/app.ts'
import { createBrowser, type Visit } from './support/browser.ts'
import { startSite } from './support/site.ts'

const EVENTS =
  'login.started login.succeeded login.failed login.restarted session.created session.revoked token.refreshed token.refresh_failed token.refresh_waited logout.local logout.federated logout.backchannel discovery.refreshed discovery.stale discovery.failed'.split(
    ' ',
  )

const faults: (Fault | undefined)[] = [
  undefined,
  'access_denied',
  'error with markup',
  'unknown code',
  'iss of another provider',
  'state of another login',
  'invalid_client',
  'token response without id_token',
  'token response is an array',
  'token: html',
  'token: server error',
  'token: truncated',
  'id_token signed with a foreign key under a known kid',
  'id_token signed with an unknown kid',
  'id_token with alg none',
  'id_token from another issuer',
  'id_token with another nonce',
  'id_token is not a JWT',
  'userinfo of another user',
  'userinfo refused',
  'jwks without keys',
]

test('no page, address, message, event or log line holds a secret, a token or a code', async () => {
  const said: string[] = []
  const say = (...parts: unknown[]): void => void said.push(parts.map(everything).join(' '))
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      say(text)
      return true
    }),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      say(text)
      return true
    }),
  ]
  const listeners = EVENTS.map((name) => {
    const listener = (event: unknown): void => say(event)
    diagnostics.subscribe(`latchkey:${name}`, listener)
    return () => diagnostics.unsubscribe(`latchkey:${name}`, listener)
  })
  vi.stubEnv('DEBUG', '*')
  vi.stubEnv('NODE_DEBUG', '*')
  const secrets = new Set<string>([SESSION_SECRET])

  for (const fault of faults) {
    await using site = await startSite(
      (app) => {
        app.get('/', requireUser(), async (req, res) => {
          const token = await req.auth.accessToken({ force: true }).catch(say)
          if (token) secrets.add(token)
          res.json({ auth: req.auth, session: req.session })
        })
        app.use(((error, _req, res, _next) => {
          say(error)
          res.status(500).send(error.code)
        }) as import('express').ErrorRequestHandler)
      },
      { userinfo: 'login', hooks: { onError: (error) => say(error) as undefined } },
    )
    secrets.add(site.provider.clientSecret)
    site.provider.fault = fault
    const browser = createBrowser()
    const visit = await browser.open(`${site.url}/login`)
    const visits: Visit[] = [
      visit,
      await browser.open(site.url),
      await browser.open(`${site.url}/auth`),
    ]
    await browser.send(`${site.url}/logout`, { method: 'POST', headers: { origin: site.url } })
    for (const one of visits) {
      say(one.text)
      for (const url of one.trail) if (url.startsWith(site.url)) say(new URL(url).pathname)
    }
    for (const { body } of site.provider.requests) {
      for (const name of ['code', 'code_verifier', 'refresh_token', 'client_secret']) {
        const value = body.get(name)
        if (value) secrets.add(value)
      }
    }
    for (const { value } of browser.cookies.values()) secrets.add(decodeURIComponent(value))
  }
  for (const stop of listeners) stop()
  for (const spy of spies) spy.mockRestore()
  vi.unstubAllEnvs()

  const all = said.join('\n')
  expect(all.length).toBeGreaterThan(10_000)
  expect(secrets.size).toBeGreaterThan(30)
  for (const secret of secrets) {
    if (secret.length > 8) expect(all.includes(secret), `${secret.slice(0, 4)}…`).toBe(false)
  }
  expect(all).not.toMatch(/access-[0-9a-f]{8}|refresh-[0-9a-f]{8}/)
  // The first six bytes of a header or of claims: `eyJ` alone may stand in a digest by chance.
  for (const member of ['alg', 'kid', 'typ', 'iss', 'sub', 'aud']) {
    expect(all).not.toContain(Buffer.from(`{"${member}"`).toString('base64url'))
  }
})

/** An error with its fields, its stack and every cause, the way a thorough logger writes it. */
function everything(value: unknown): string {
  if (value instanceof Error) {
    const fields = Object.fromEntries(Object.entries(value))
    return `${value.stack} ${JSON.stringify(fields)} ${everything(value.cause)}`
  }
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
