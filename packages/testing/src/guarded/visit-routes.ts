import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestableApp, toTestable } from '../app.ts'

/** The beginning of the error codes about a fault of the provider. */
const PROVIDER_CODE = /\bLATCHKEY_(?=PROVIDER_)/

const DEADLINE = 5000

/** The response to a visitor's request; `undefined` if there was none within five seconds. */
export interface VisitorAnswer {
  readonly status: number
  readonly location: string | undefined
  /** The beginning of the body of a refusal. */
  readonly text: string
}

/** A visitor without cookies, who sends requests to an application. */
export interface RouteVisitor extends AsyncDisposable {
  ask(method: string, path: string): Promise<VisitorAnswer | undefined>
}

/** Serves an application on a separate loopback port, until the returned visitor is disposed of. */
export async function visitRoutes(
  app: object,
  headers: Readonly<Record<string, string>>,
): Promise<RouteVisitor> {
  const testable = await toTestable(app as TestableApp)
  const server = createServer((req, res) => {
    if (testable instanceof Server) testable.emit('request', req, res)
    else (testable as RequestListener)(req, res)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ask: (method, path) => ask(port, method, path, headers),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Sends a request like a program, because a guard then answers 401 without a provider. */
async function ask(
  port: number,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<VisitorAnswer | undefined> {
  const sent = request({
    ...{ port, method, path, host: '127.0.0.1', agent: false },
    headers: { accept: 'application/json', ...headers },
    signal: AbortSignal.timeout(DEADLINE),
  })
  try {
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
    const status = answer.statusCode ?? 0
    const { location } = answer.headers
    return { status, location, text: status < 400 ? '' : await beginningOf(answer) }
  } catch {
    return undefined
  } finally {
    sent.destroy()
  }
}

async function beginningOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk
    if (text.length > 10_000) break
  }
  return text
}

/**
 * Whether a response asks for a login: 401, a redirect to a provider, or a page about a provider
 * that is down.
 */
export function asksForLogin({ status, location, text }: VisitorAnswer): boolean {
  if (status === 401) return true
  if (location !== undefined && URL.canParse(location)) {
    const { searchParams } = new URL(location)
    return searchParams.has('client_id')
  }
  return status >= 400 && PROVIDER_CODE.test(text)
}
