import diagnostics from 'node:diagnostics_channel'
import type { Platform } from '../context.ts'
import type { AuthEventName } from '../events.ts'
import { createNodeTransport } from './transport.ts'

/**
 * What an instance needs of Node: the environment, events on the diagnostics channels
 * `latchkey:<name>`, and ways to reach providers.
 */
export function nodePlatform(): Platform {
  // Node forgets a channel that nothing holds, and making one takes longer than asking it.
  const channels: Partial<Record<AuthEventName, diagnostics.Channel>> = {}
  return {
    environment: process.env,
    publish(name, event) {
      channels[name] ??= diagnostics.channel(`latchkey:${name}`)
      if (channels[name].hasSubscribers) channels[name].publish(event)
    },
    transport: createNodeTransport(),
    guardedTransport: createNodeTransport({ publicOnly: true }),
  }
}
