import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AuthRouter, createAuthRouter, requireUser } from '@latchkey/express'
import { type Identity, startIdentity } from '@latchkey/testing'
import express, { type Express, type Request, type Response } from 'express'
import { WebSocketServer } from 'ws'
import { listenWithConsole } from '../../packages/service/test/console/chromium.ts'
import { MFA } from '../../packages/service/test/issuer/support/factors.ts'

/** What journeys lead through: a service, an application of the kit, a page elsewhere, and the console. */
export interface World extends AsyncDisposable {
  readonly identity: Identity
  /** The address of the application, at another site than the service. */
  readonly application: string
  /** The address of a page at a third site, with links to the application. */
  readonly elsewhere: string
  readonly console: Awaited<ReturnType<typeof listenWithConsole>>
}

/** Settings of the service's tenant, as the management API has them. */
export type TenantSettings = Readonly<Record<string, unknown>>

/** Starts everything on loopback ports, over http as on a developer's machine. */
export async function startWorld(settings: TenantSettings = {}): Promise<World> {
  await using all = new AsyncDisposableStack()
  const identity = all.use(await startIdentity({ listen: true }))
  await changeSettings(identity, settings)
  const app = express()
  const server = createServer(app)
  const application = await listen(server)
  all.defer(() => close(server))
  const options = identity.clientOptions({
    baseUrl: application,
    routes: { session: '/session' },
    keepForms: true,
    logger: false,
  })
  const router = createAuthRouter(options)
  app.use(router)
  addRoutes(app)
  addSocket(server, router)
  const other = createServer((_request, response) => {
    const links = ['private', 'write'].map((page) => `<a href="${application}/${page}">${page}</a>`)
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>Elsewhere</h1>${links}`)
  })
  const elsewhere = (await listen(other)).replace('127.0.0.1', 'localhost')
  all.defer(() => close(other))
  const console = all.use(await listenWithConsole())
  const owned = all.move()
  return {
    identity,
    application,
    elsewhere,
    console,
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  }
}

async function changeSettings(identity: Identity, changes: TenantSettings): Promise<void> {
  const { service, tenantId } = identity
  const { secret } = await service.admin.createApiKey({ name: 'journeys', reach: [tenantId] })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const url = `https://api.internal/v1/tenants/${tenantId}`
  const tenant = (await (await service.fetch(url, { headers })).json()) as { settings: object }
  const body = JSON.stringify({ ...tenant, settings: { ...tenant.settings, ...changes } })
  const changed = await service.fetch(url, { method: 'POST', headers, body })
  if (!changed.ok) throw new Error(String(changed.headers.get('latchkey-error-detail')))
}

const html = (res: Response, body: string): void => {
  res.send(`<!doctype html><html lang="en"><title>Shop</title><main>${body}</main></html>`)
}

const LOGOUT = '<form method="post" action="/logout"><button>Log out</button></form>'

function addRoutes(app: Express): void {
  const nameOf = (req: Request): string => String(req.auth.user?.name)
  app.get('/', (req, res) => html(res, req.auth.isAuthenticated ? 'You are in' : 'You are out'))
  app.get('/private', requireUser(), (req, res) => html(res, `Hello ${nameOf(req)}${LOGOUT}`))
  app.get('/strong', requireUser({ acr: MFA }), (req, res) => html(res, `Vault of ${nameOf(req)}`))
  app.get('/write', requireUser(), (_req, res) => {
    const field = '<label for="text">Text</label> <textarea id="text" name="text"></textarea>'
    html(res, `<form method="post">${field}<button>Publish</button></form>`)
  })
  app.post('/write', express.urlencoded({ extended: false }), requireUser(), (req, res) => {
    res.type('text').send(`Published: ${req.body.text}`)
  })
  app.get('/api/me', requireUser({ respond: 'json' }), (req, res) => {
    res.json({ name: nameOf(req) })
  })
  app.get('/page', (_req, res) =>
    html(res, `<p id="user">Scripts are off</p><script>${PAGE}</script>`),
  )
  app.get('/events', requireUser({ respond: 'json' }), (req, res) => {
    res.type('text/event-stream').write(`data: ${nameOf(req)}\n\n`)
    req.auth.ended().addEventListener('abort', () => res.end('event: ended\ndata:\n\n'))
  })
  app.get('/watch', (_req, res) => html(res, `<p id="seen"></p><script>${WATCH}</script>`))
  app.get('/chat', (_req, res) => html(res, `<p id="seen"></p><script>${CHAT}</script>`))
}

const PAGE = `
document.getElementById('user').textContent = ''
fetch('/api/me').then(async (response) => {
  const body = await response.json()
  if (response.ok) document.getElementById('user').textContent = 'Loaded for ' + body.name
  else location.assign(body.loginUrl + '?returnTo=/page')
})`

const WATCH = `
const seen = document.getElementById('seen')
const events = new EventSource('/events')
events.onmessage = ({ data }) => { seen.textContent = 'Watching as ' + data }
events.addEventListener('ended', () => { events.close(); seen.textContent = 'The stream has ended' })`

const CHAT = `
const seen = document.getElementById('seen')
const socket = new WebSocket(location.origin.replace('http', 'ws') + '/socket')
socket.onmessage = ({ data }) => { seen.textContent = data }
socket.onclose = ({ code }) => { seen.textContent = 'Closed with ' + code }`

/** The code of a WebSocket whose session has ended. */
export const ENDED = 4401

function addSocket(server: Server, router: AuthRouter): void {
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (req, socket, head) => {
    const opening = router.socket(req).then((opened) => {
      if (!opened.isAllowed) return opened.refuse(socket)
      sockets.handleUpgrade(req, socket, head, (client) => {
        opened.ended.addEventListener('abort', () => client.close(ENDED))
        client.send(`Chatting as ${opened.user.name}`)
      })
    })
    opening.catch((error) => socket.destroy(error))
  })
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
