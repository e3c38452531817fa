import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonAnswer, MisbehavingProvider } from './provider.ts'

/** Answers with JSON. */
export function json(res: ServerResponse, body: unknown, status = 200): void {
  jsonText(res, JSON.stringify(body), status)
}

/** Answers with a JSON text. */
export function jsonText(res: ServerResponse, text: string, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' })
  res.end(text)
}

/** Sends an object of the provider as JSON, with the changes of the test. */
export function send(
  provider: MisbehavingProvider,
  res: ServerResponse,
  answer: JsonAnswer,
  body: unknown,
): void {
  jsonText(res, rewritten(provider, answer, JSON.stringify(body)))
}

/** The JSON text of an object of the provider, with the changes of the test. */
export function rewritten(provider: MisbehavingProvider, answer: JsonAnswer, text: string): string {
  return provider.rewrite?.(answer, text) ?? text
}

/** The whole body of a request. */
export async function readAll(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Listens on a loopback port; 0 means any free port. Resolves to the port. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

/** Stops listening at once, and closes open connections. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
