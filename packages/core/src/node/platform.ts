import diagnostics from 'node:diagnostics_channel'
import type { LoadPersonas, Platform } from '../context.ts'
import type { AuthEventName } from '../log/events.ts'
import { createNodeTransport } from './transport.ts'

/**
 * The features of Node that an instance needs: the environment, events on the diagnostics channels
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
    findPersonas,
    transport: createNodeTransport(),
    guardedTransport: createNodeTransport({ publicOnly: true }),
  }
}

const PERSONAS = '@latchkey/testing/personas'

/** Looks in the application, which has the personas installed; this package knows nothing of them. */
function findPersonas(): LoadPersonas | undefined {
  const { createRequire } = process.getBuiltinModule('node:module')
  for (const place of [process.argv[1], `${process.cwd()}/package.json`]) {
    if (!place) continue
    try {
      const load = createRequire(place)
      // Not `import()`: bundlers warn of one whose address they cannot see, and some runtimes refuse it.
      if (load.resolve(PERSONAS)) return async () => load(PERSONAS).startPersonas
    } catch {
      // Not installed there.
    }
  }
  return undefined
}
