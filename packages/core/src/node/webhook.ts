import { readBytes } from '../http/body.ts'
import { bodyReadBefore, type WebhookHandler } from '../webhooks/handler.ts'
import { NodeHeaders, type NodeRequest } from './request.ts'
import type { NodeResponse } from './response.ts'

/** A request of node:http whose body something in front may have read; some keep its raw bytes. */
export interface NodeWebhookRequest extends NodeRequest {
  readonly readableDidRead?: boolean
  /** The raw body, as NestJS, Koa's parsers and some hosts keep it. */
  readonly rawBody?: unknown
}

/**
 * Receives a webhook over node:http and answers it. The raw body is read from the request, or is the one
 * that a parser has kept: `rawBody`, or a `body` that is a `Buffer` or a text.
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

/** The bytes of a body, from the stream or as something in front has kept them. */
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
