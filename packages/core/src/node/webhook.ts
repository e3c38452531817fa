import { readBytes } from '../http/body.ts'
import { bodyReadBefore, type WebhookHandler } from '../webhooks/handler.ts'
import { NodeHeaders, type NodeRequest } from './request.ts'
import type { NodeResponse } from './response.ts'

/** A request of node:http whose body a parser may have read already. */
export interface NodeWebhookRequest extends NodeRequest {
  readonly readableDidRead?: boolean
  /** The raw bytes of the body, kept by NestJS, Koa's parsers and some hosts. */
  readonly rawBody?: unknown
}

/**
 * Receives a webhook over node:http and answers it. The raw body is `rawBody`, or a `body` that is
 * a `Buffer` or a text; otherwise it is read from the request.
 */
export async function serveNodeWebhook(
  handler: Pick<WebhookHandler, 'receive'>,
  request: NodeWebhookRequest,
  response: NodeResponse,
  rawBody: unknown = request.rawBody,
): Promise<void> {
  const { status, headers, body } = await handler.receive({
    method: request.method ?? 'GET',
    headers: new NodeHeaders(request),
    body: async () => rawBodyOf(request, rawBody),
  })
  if (response.headersSent) return
  for (const [name, value] of headers) response.setHeader(name, value)
  response.statusCode = status
  response.end(body)
}

/** The raw bytes of a body, from a parser that has kept them or from the stream. */
export async function rawBodyOf(
  request: NodeWebhookRequest,
  rawBody?: unknown,
): Promise<Uint8Array> {
  for (const kept of [rawBody, request.body]) {
    if (typeof kept === 'string') return Buffer.from(kept)
    if (kept instanceof Uint8Array) return kept
  }
  if (request.readableEnded || request.readableDidRead) throw bodyReadBefore()
  return readBytes(request)
}
