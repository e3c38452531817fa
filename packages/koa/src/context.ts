import type { IncomingMessage, ServerResponse } from 'node:http'

/** The members of Koa's context that the kit uses. */
export interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly request: object & { readonly body?: unknown }
  // biome-ignore lint/suspicious/noExplicitAny: Koa types its state so, and an application may narrow it
  state: any
  [name: string]: unknown
}

/** A middleware of Koa. */
export type KoaMiddleware<C = KoaContext> = (ctx: C, next: () => Promise<unknown>) => Promise<void>
