import diagnostics from 'node:diagnostics_channel'
import type { Platform } from '../context.ts'
import type { AuthEventName } from '../log/events.ts'
import { withSecretFiles } from './secret-files.ts'
import { createNodeTransport } from './transport.ts'

/**
 * The platform for Node: reads the environment, publishes events on the diagnostics channels
 * `latchkey:<name>`, and sends requests to providers over node:http.
 */
export function nodePlatform(): Platform {
  // Kept here, because Node drops a channel without a reference, and making a channel takes longer
  // than a look-up.
  const channels: Partial<Record<AuthEventName, diagnostics.Channel>> = {}
  return {
    environment: withSecretFiles(process.env),
    publish(name, event) {
      channels[name] ??= diagnostics.channel(`latchkey:${name}`)
      if (channels[name].hasSubscribers) channels[name].publish(event)
    },
    find: findPackage,
    transport: createNodeTransport(),
    guardedTransport: createNodeTransport({ publicOnly: true }),
  }
}

/**
 * Finds a development package from the program, from the working folder, or from
 * `@latchkey/testing`, which depends on the others. Core depends on none of them. Returns a
 * function that loads the package; `undefined` if it is not installed.
 */
function findPackage(name: string): (() => unknown) | undefined {
  const { createRequire } = process.getBuiltinModule('node:module')
  const resolve = (from: string, wanted: string): string | undefined => {
    try {
      return createRequire(from).resolve(wanted)
    } catch {
      return undefined
    }
  }
  const program = [process.argv[1], `${process.cwd()}/package.json`]
  const testing = program.map((place) => place && resolve(place, '@latchkey/testing'))
  for (const place of [...program, ...testing]) {
    // Not `import()`: bundlers warn about a computed path, and some runtimes refuse it.
    if (place && resolve(place, name)) return () => createRequire(place)(name)
  }
  return undefined
}
