import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'

/** What a function answers to an event of format 2.0. */
interface FunctionResult {
  statusCode: number
  headers?: Record<string, string>
  cookies?: string[]
  body?: string
  isBase64Encoded?: boolean
}

/** A function behind its URL, in instances that share nothing. */
export interface ServedFunction {
  /** Why it serves no longer. */
  ended(): string | undefined
  stop(): void
}

/** Two, so that a session that one instance alone knew would be missed at the next request. */
const INSTANCES = 2

/**
 * Serves a function at a port, as a function URL of AWS Lambda does. Each request goes to the next instance, and an
 * instance without an invocation is frozen.
 */
export async function serveFunction(port: number, env: NodeJS.ProcessEnv): Promise<ServedFunction> {
  const instances = await Promise.all(Array.from({ length: INSTANCES }, () => startInstance(env)))
  let turn = 0
  const url = createServer((request, response) => {
    const instance = instances[turn++ % INSTANCES] as Instance
    eventOf(request)
      .then(instance.invoke)
      .then((result) => send(response, result))
      .catch((error: Error) => response.writeHead(502).end(error.message))
  })
  url.listen(port, '127.0.0.1')
  await once(url, 'listening')
  return {
    ended: () => instances.map((instance) => instance.ended()).find(Boolean),
    stop() {
      url.close()
      url.closeAllConnections()
      for (const instance of instances) instance.stop()
    },
  }
}

interface Instance extends ServedFunction {
  invoke(event: object): Promise<FunctionResult>
}

/** An event, and where its result goes. */
type Invocation = PromiseWithResolvers<FunctionResult> & { id: string; event: object }

/** Starts a process that asks its own Runtime API for invocations. */
async function startInstance(env: NodeJS.ProcessEnv): Promise<Instance> {
  const waiting: Invocation[] = []
  const running = new Map<string, Invocation>()
  let child: ChildProcess | undefined
  /** The question for the next invocation, while there is none. */
  let asking: ServerResponse | undefined

  function hand(): void {
    if (!asking) return
    const invocation = waiting.shift()
    if (!invocation) return void child?.kill('SIGSTOP')
    running.set(invocation.id, invocation)
    child?.kill('SIGCONT')
    asking.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': invocation.id,
      'lambda-runtime-deadline-ms': Date.now() + 30_000,
    })
    asking.end(JSON.stringify(invocation.event))
    asking = undefined
  }

  async function settle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [id = '', outcome] = (request.url ?? '').split('/').slice(-2)
    const body = await json(request)
    response.writeHead(202).end()
    if (outcome === 'response') running.get(id)?.resolve(body as FunctionResult)
    else running.get(id)?.reject(new Error(JSON.stringify(body)))
    running.delete(id)
  }

  const api = createServer((request, response) => {
    if (request.method === 'POST') return void settle(request, response)
    asking = response
    hand()
  })
  api.listen(0, '127.0.0.1')
  await once(api, 'listening')
  const { port } = api.address() as AddressInfo
  const loop = join(import.meta.dirname, 'function-loop.ts')
  child = spawn(process.execPath, ['--conditions=latchkey-source', loop], {
    env: { ...env, AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}` },
    stdio: 'inherit',
  })
  return {
    invoke(event) {
      const invocation = { ...Promise.withResolvers<FunctionResult>(), id: crypto.randomUUID() }
      waiting.push({ ...invocation, event })
      hand()
      return invocation.promise
    },
    ended: () => (child?.exitCode == null ? undefined : `It ended with code ${child.exitCode}.`),
    stop() {
      // A process that is frozen takes no other signal.
      child?.kill('SIGKILL')
      api.close()
      api.closeAllConnections()
    },
  }
}

/** Types whose bodies arrive as text; all others are encoded. */
const TEXT = /^(text\/|application\/(json|javascript|xml))/

/**
 * A request as an event of format 2.0, which function URLs and HTTP APIs of API Gateway share: names of headers in lower
 * case, several values joined by commas, and cookies apart.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 */
async function eventOf(request: IncomingMessage): Promise<object> {
  const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://function')
  const { cookie, ...headers } = request.headersDistinct
  const body = await text(request)
  const isText = TEXT.test(request.headers['content-type'] ?? '')
  const domainName = 'abcdefghijklmnopqrstuvwxyz012345.lambda-url.eu-central-1.on.aws'
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    ...(cookie && { cookies: cookie.join('; ').split('; ') }),
    headers: Object.fromEntries(
      Object.entries({ ...headers, host: [domainName] }).map(([name, all = []]) => [
        name,
        all.join(','),
      ]),
    ),
    ...(search && { queryStringParameters: joined(searchParams) }),
    requestContext: {
      accountId: 'anonymous',
      apiId: domainName.split('.')[0],
      domainName,
      domainPrefix: domainName.split('.')[0],
      http: {
        method: request.method,
        path: pathname,
        protocol: 'HTTP/1.1',
        sourceIp: '192.0.2.1',
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: crypto.randomUUID(),
      routeKey: '$default',
      stage: '$default',
      timeEpoch: Date.now(),
    },
    ...(body && { body: isText ? body : Buffer.from(body).toString('base64') }),
    isBase64Encoded: body !== '' && !isText,
  }
}

function joined(parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join(',')]),
  )
}

function send(response: ServerResponse, result: FunctionResult): void {
  const { statusCode, headers, cookies = [], body = '', isBase64Encoded } = result
  response.writeHead(statusCode, { ...headers, 'set-cookie': cookies })
  response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
}
