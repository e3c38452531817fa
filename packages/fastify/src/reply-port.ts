import type { ResponsePort } from '@latchkey/core'
import { toResponsePort } from '@latchkey/core/node'
import type { FastifyReply } from 'fastify'

/** The reply to a request. Its headers are set with Fastify, so that `onSend` hooks see them. */
export function replyPort(reply: FastifyReply): ResponsePort<FastifyReply> {
  const raw = toResponsePort(reply.raw)
  const cookies = (): string[] => {
    // Middleware that uses only the raw response has set these. Those of the reply would replace them.
    const earlier = reply.raw.headersSent ? undefined : reply.raw.getHeader('set-cookie')
    if (earlier !== undefined) {
      reply.raw.removeHeader('set-cookie')
      reply.header('set-cookie', earlier)
    }
    return [reply.getHeader('set-cookie') ?? []].flat().map(String)
  }
  return {
    get isSent() {
      return reply.raw.headersSent
    },
    get: (name) => (reply.hasHeader(name) ? String(reply.getHeader(name)) : null),
    getSetCookie: cookies,
    set(name, value) {
      // Fastify adds cookies to existing ones.
      if (name === 'set-cookie') reply.removeHeader(name)
      reply.header(name, value)
    },
    append: (name, value) => void reply.header(name, value),
    // Fastify writes the reply's headers over those of the raw response, and the kit's come last.
    beforeSent: (write) => raw.beforeSent?.(write),
    send: ({ status, body, isAnswered }) => (isAnswered ? reply : reply.code(status).send(body)),
  }
}
