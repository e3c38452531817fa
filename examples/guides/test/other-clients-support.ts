import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Identity, startIdentity, type TestUser } from '@latchkey/testing'
import express, { type Express } from 'express'
import { launchChromium } from '../../../test/support/chromium.ts'
import type { Registered } from '../src/other-clients.ts'

type Browser = Awaited<ReturnType<typeof launchChromium>>
export type Page = Awaited<ReturnType<Browser['newPage']>>

/** The service with a user, and a browser. */
export interface World extends AsyncDisposable {
  readonly identity: Identity
  readonly user: TestUser
  /** A server of an application, and the application's registration with the given metadata. */
  start(
    metadata: object,
    make: (app: Express, registered: Registered) => void | Promise<void>,
    callbackPath?: string,
  ): Promise<{ page: Page; url: string } & AsyncDisposable>
  /** Logs the user in on the page of the service. */
  logIn(page: Page): Promise<void>
}

export async function startWorld(): Promise<World> {
  const chromium = await launchChromium()
  const identity = await startIdentity({ listen: true, domain: 'localhost' })
  const user = await identity.createUser({ email: 'ada@example.com' })
  return {
    identity,
    user,
    async start(metadata, make, callbackPath = '/callback') {
      const app = express()
      const server = createServer(app)
      await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
      const url = `http://localhost:${(server.address() as AddressInfo).port}`
      const { secret: key } = await identity.service.admin.createApiKey({
        name: 'tests',
        reach: 'all',
      })
      const call = async (path: string, body?: object) => {
        const response = await identity.service.fetch(
          `https://api.internal/v1/tenants/${identity.tenantId}/applications${path}`,
          {
            method: body ? 'POST' : 'GET',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            ...(body && { body: JSON.stringify(body) }),
          },
        )
        return (await response.json()) as { id: string; secret?: string }
      }
      const { id } = await call('', {
        name: 'Shop',
        metadata,
        redirect_urls: [url + callbackPath],
        logout_urls: [`${url}/`],
      })
      const { secret = '' } = await call(`/${id}`)
      await make(app, { issuer: identity.issuer, clientId: id, clientSecret: secret, baseUrl: url })
      const context = await chromium.newContext()
      const page = await context.newPage()
      return {
        page,
        url,
        async [Symbol.asyncDispose]() {
          await context.close()
          server.closeAllConnections()
          await new Promise((resolve) => server.close(resolve))
        },
      }
    },
    async logIn(page) {
      await page.getByLabel('Email address').fill(user.email)
      await page.locator('#password').fill(user.password)
      await page.getByRole('button', { name: 'Log in', exact: true }).click()
      await page.waitForURL(({ pathname }) => !pathname.startsWith('/login/'))
    },
    async [Symbol.asyncDispose]() {
      await chromium.close()
      await identity.close()
    },
  }
}
