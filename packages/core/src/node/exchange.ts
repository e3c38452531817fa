import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Agent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import type { ProviderAnswer, ProviderRequest } from '../provider/transport.ts'
import { OldestFirst, remember } from '../shared/oldest-first.ts'

/** The options of a connection: the DNS look-up and the agent. */
export interface Connection {
  readonly lookup?: LookupFunction
  readonly agent?: Agent
}

const UTF_8 = new TextDecoder()
const MAX_TARGETS = 500

const targets = new OldestFirst<string, RequestOptions>()

/**
 * The options of node:http for a URL. They are kept, because there are few endpoints and parsing
 * takes a while.
 */
export function targetOf(address: string): RequestOptions {
  const target = targets.get(address) ?? (urlToHttpOptions(new URL(address)) as RequestOptions)
  remember(targets, address, target, MAX_TARGETS)
  return target
}

/** Sends a request over node:http, on a keep-alive connection. Resolves to the whole response. */
export function send(
  target: RequestOptions,
  request: ProviderRequest,
  connection: Connection,
): Promise<ProviderAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = moduleOf(target).request({
      ...target,
      method: request.method,
      headers: { 'accept-encoding': 'identity', ...request.headers },
      ...connection,
      ...(request.signal ? { signal: request.signal } : {}),
    })
    const until = performance.now() + request.timeoutSeconds * 1000
    const timer = setTimeout(() => {
      reject(new DOMException('the exchange took too long', 'TimeoutError'))
      outgoing.destroy()
    }, request.timeoutSeconds * 1000)
    outgoing.on('close', () => clearTimeout(timer))
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const timeoutSeconds = (until - performance.now()) / 1000
      if (!isStale(outgoing, error) || timeoutSeconds <= 0) return reject(error)
      send(target, { ...request, timeoutSeconds }, connection).then(resolve, reject)
    })
    outgoing.on('response', (incoming) => receive(incoming, request.maxBytes, resolve, reject))
    outgoing.end(request.body)
  })
}

/**
 * Loads `node:http` or `node:https` at the first request. This saves a fifth of an application's
 * start, because `node:http` loads all of undici.
 */
function moduleOf({
  protocol,
}: RequestOptions): typeof import('node:http') | typeof import('node:https') {
  return protocol === 'https:'
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http')
}

/**
 * Whether the server closed a keep-alive connection when it was about to be reused. The request may
 * have arrived, but its response is lost in any case. So the request is sent again. If the server
 * has used up its code or refresh token, the second request is refused, as any later attempt would
 * be.
 */
function isStale(outgoing: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return outgoing.reusedSocket && error.code === 'ECONNRESET' && !outgoing.destroyed
}

function receive(
  incoming: IncomingMessage,
  maxBytes: number,
  resolve: (answer: ProviderAnswer) => void,
  reject: (error: unknown) => void,
): void {
  const status = incoming.statusCode ?? 502
  const headers: ProviderAnswer['headers'] = []
  const { rawHeaders } = incoming
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.push([rawHeaders[index]?.toLowerCase() ?? '', rawHeaders[index + 1] ?? ''])
  }
  const chunks: Buffer[] = []
  let size = 0
  const give = (body: string | undefined): void => resolve({ status, headers, body })
  incoming.on('error', reject)
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size <= maxBytes) return
    give(undefined)
    incoming.destroy()
  })
  incoming.on('end', () => give(UTF_8.decode(joined(chunks))))
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first, ...more] = chunks
  return first && more.length === 0 ? first : Buffer.concat(chunks)
}
