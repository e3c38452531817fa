import type { ResponsePort } from '@latchkey/core'
import { toResponsePort } from '@latchkey/core/node'
import type { FastifyReply } from 'fastify'

/**
 * Creates a response port over a reply. Headers are set with Fastify, so that `onSend` hooks see
 * them.
 */
export function replyPort(reply: FastifyReply): ResponsePort<FastifyReply> {
  const raw = toResponsePort(reply.raw)
  const cookies = (): string[] => {
    // Middleware that uses only the raw response may have set cookies there. The cookies of the
    // reply would replace them.
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
      // Without this, Fastify would keep the existing cookies and add the new cookies.
      if (name === 'set-cookie') reply.removeHeader(name)
      reply.header(name, value)
    },
    append: (name, value) => void reply.header(name, value),
    // Fastify first writes the headers of the reply over those of the raw response. The kit then
    // writes its own.
    beforeSent: (write) => raw.beforeSent?.(write),
    send: ({ status, body, isAnswered }) => (isAnswered ? reply : reply.code(status).send(body)),
  }
}
