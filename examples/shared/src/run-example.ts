import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import { announce } from './announce.ts'
import {
  type DemoClient,
  type DemoMetadata,
  type DemoUser,
  people,
  startDemoService,
} from './demo-service.ts'
import { freePort } from './free-port.ts'

/**
 * Runs an example: a service in memory, with a tenant and users, and the application that logs in there.
 * Ctrl-C ends both, and nothing is kept.
 */
export async function runExample(options: {
  readonly title: string
  readonly users?: readonly DemoUser[]
  /** More lines to print, of a name and a value. */
  readonly more?: (urls: { baseUrl: string; issuer: string }) => Readonly<Record<string, string>>
  /** Metadata of the tenant and of the application. */
  readonly metadata?: (baseUrl: string) => DemoMetadata
  createApp(
    client: DemoClient & {
      readonly baseUrl: string
      readonly session: { readonly secret: string }
    },
  ): RequestListener | Server | Promise<Server>
}): Promise<void> {
  const { title, users = people.slice(0, 1), more, metadata } = options
  const begunAt = performance.now()
  const port = await freePort(process.env.PORT ?? 3000, undefined, 'PORT')
  const baseUrl = `http://localhost:${port}`
  const service = await startDemoService({ port: await freePort(4400, port) })
  const { issuer, clientId, clientSecret } = await service.addTenant({
    company: 'Acme',
    application: title,
    baseUrl,
    users,
    ...(metadata && { metadata: metadata(baseUrl) }),
  })
  const session = { secret: randomBytes(32).toString('base64url') }
  const app = await options.createApp({ issuer, clientId, clientSecret, baseUrl, session })
  const server = typeof app === 'function' ? createServer(app) : app
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  announce({
    ...{ title, url: baseUrl, begunAt, users, closing: 'Stop with Ctrl-C.' },
    more: more?.({ baseUrl, issuer }) ?? {},
  })

  const stop = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await service.close()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
}
