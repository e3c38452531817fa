import { ensureSystemTenant } from '../domain/operators/operators.ts'
import { findTenant } from '../domain/tenants/tenants.ts'
import type { System } from './calls/call.ts'
import type { Console, ConsoleOptions } from './index.ts'

/**
 * Starts the management console. Creates the system tenant, whose users are the operators, if it
 * does not exist yet.
 *
 * @throws Error if a tenant has the domain of the console.
 */
export async function startConsole(
  options: Omit<ConsoleOptions, 'system'>,
  system: Omit<System, 'startedAt'>,
): Promise<Console> {
  const { context } = options
  const { consoleHost } = context.domains
  if (consoleHost && (await findTenant({ context }, consoleHost))) {
    throw new Error(`A tenant has the domain ${consoleHost}; give the console another URL.`)
  }
  // The console discovers its issuer as soon as it starts, so the system tenant must exist.
  await ensureSystemTenant({ context, actor: { name: 'service' } })
  // Loaded here, so that a service without a console need not load it.
  const { createConsole } = await import('./index.ts')
  const startedAt = Math.floor(context.clock.now() / 1_000)
  return createConsole({ ...options, system: { ...system, startedAt } })
}
