import diagnostics from 'node:diagnostics_channel'
import type { Platform } from '../context.ts'
import { createNodeTransport } from './transport.ts'

/**
 * What an instance needs of Node: the environment, events on the diagnostics channels
 * `latchkey:<name>`, and ways to reach providers.
 */
export function nodePlatform(): Platform {
  return {
    environment: process.env,
    publish(name, event) {
      const channel = diagnostics.channel(`latchkey:${name}`)
      if (channel.hasSubscribers) channel.publish(event)
    },
    transport: createNodeTransport(),
    guardedTransport: createNodeTransport({ publicOnly: true }),
  }
}
