import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import express5, { type Express } from 'express'
import express4 from 'express-4'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../../test/support/free-port.ts'
import { startNginx } from '../../../test/support/nginx.ts'
import { SESSION_SECRET } from './support/app.ts'
import { createBrowser } from './support/browser.ts'

/** The part of an application that is at the path of its `baseUrl`, whatever the process sees of it. */
async function startUnder(
  express: typeof express5,
  baseUrlOf: (served: string) => string,
  mount: (app: Express, router: ReturnType<typeof createAuthRouter>) => void,
  options: AuthOptions = {},
) {
  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const served = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = await startMisbehavingProvider()
  const { issuer, clientId, clientSecret } = provider
  const lines: string[] = []
  const write = (facts: unknown, message: string): void => {
    lines.push(`${JSON.stringify(facts)} ${message}`)
  }
  const router = createAuthRouter({
    ...{ issuer, clientId, clientSecret, baseUrl: baseUrlOf(served) },
    logger: { info: write, warn: write, error: write },
    ...options,
    session: { secret: SESSION_SECRET },
  })
  mount(app, router)
  return {
    app,
    served,
    provider,
    lines,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await provider.close()
    },
  }
}

function pages(app: Express, path = ''): void {
  app.get(`${path}/page`, requireUser(), (req, res) => {
    res.send(`page of ${getUser(req).sub}, ${req.originalUrl}`)
  })
  app.get(path === '' ? '/' : path, (_req, res) => {
    res.send('home')
  })
}

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('on %s', (_name, express) => {
  test('a login without returnTo ends inside an application whose baseUrl has a path', async () => {
    await using site = await startUnder(
      express,
      (served) => `${served}/shop`,
      (app, router) => {
        app.use(router)
        pages(app, '/shop')
      },
    )

    const visit = await createBrowser().open(`${site.served}/shop/login`)

    expect(visit.url.href).toBe(`${site.served}/shop`)
    expect(visit.text).toBe('home')
  })

  test('behind an nginx that leaves out the path of baseUrl, visitors log in and come back', async () => {
    const port = await freePort()
    const baseUrl = `http://127.0.0.1:${port}/shop`
    await using site = await startUnder(
      express,
      () => baseUrl,
      (app, router) => {
        app.use(router)
        pages(app)
      },
    )
    await using _proxy = await startNginx(
      port,
      `location /shop/ { proxy_pass ${site.served}/; proxy_set_header Host $http_host; }`,
    )
    const browser = createBrowser()

    const visit = await browser.open(`${baseUrl}/page?q=1`)
    const home = await browser.open(`${baseUrl}/login`)

    expect(visit.text).toBe('page of ada, /page?q=1')
    expect(visit.url.href).toBe(`${baseUrl}/page?q=1`)
    expect(visit.trail.some((url) => url.startsWith(`${baseUrl}/callback?`))).toBe(true)
    expect(home.text).toBe('home')
    expect(home.url.href).toBe(`${baseUrl}/`)
    const left = await browser.send(`${baseUrl}/logout?returnTo=/shop/page?left`, {
      method: 'POST',
      headers: { origin: new URL(baseUrl).origin },
    })
    const { searchParams } = new URL(left.headers.get('location') as string)
    const back = `${searchParams.get('post_logout_redirect_uri')}?state=${searchParams.get('state')}`
    const trail = (await browser.open(back, (url) => url.search === '?left')).trail
    expect(trail.at(-1)).toBe(`${baseUrl}/page?left`)
  })

  test('a router mounted under a path that its routes are not under is refused with what to write', async () => {
    await using site = await startUnder(
      express,
      (served) => served,
      (app, router) => {
        app.use('/auth', router)
        app.use(((error, _req, res, _next) => {
          res.status(error.status).send(error.message)
        }) as import('express').ErrorRequestHandler)
      },
    )

    const response = await createBrowser().send(`${site.served}/auth/login`)

    expect(response.status).toBe(500)
    const text = await response.text()
    expect(text).toContain('"routes.login" to "/auth/login"')
    expect(text).toContain('"routes.callback" to "/auth/callback"')
  })

  test('a router mounted under a path that its routes or its baseUrl have works', async () => {
    await using byRoutes = await startUnder(
      express,
      (served) => served,
      (app, router) => {
        app.use('/auth', router)
        pages(app)
      },
      {
        routes: {
          ...{ login: '/auth/login', callback: '/auth/callback', logout: '/auth/logout' },
          ...{ session: '/auth/session', backchannelLogout: '/auth/backchannel-logout' },
        },
      },
    )
    await using byBaseUrl = await startUnder(
      express,
      (served) => `${served}/auth`,
      (app, router) => {
        app.use('/auth', router)
        pages(app, '/auth')
      },
    )

    expect((await createBrowser().open(`${byRoutes.served}/auth/login`)).text).toBe('home')
    expect((await createBrowser().open(`${byBaseUrl.served}/auth/page`)).text).toContain('of ada')
  })

  test('a login returns to an address of more than 1,024 characters without its query, and a log line says so', async () => {
    await using site = await startUnder(
      express,
      (served) => served,
      (app, router) => {
        app.use(router)
        pages(app)
      },
    )
    const browser = createBrowser()
    const long = `/page?q=${'a'.repeat(3000)}`

    const visit = await browser.open(site.served + long)
    const kept = await createBrowser().open(`${site.served}/page?q=${'a'.repeat(1000)}`)

    expect(visit.url.href).toBe(`${site.served}/page`)
    expect(kept.url.search).toHaveLength(1003)
    expect(site.lines.join('\n')).toContain('LATCHKEY_RETURN_TO_SHORTENED')
    expect(site.lines.join('\n')).not.toContain('a'.repeat(40))
  })
})
