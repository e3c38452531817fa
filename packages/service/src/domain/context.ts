import type { EventEmitter } from 'node:events'
import type { Clock } from '../clock.ts'
import type { DataStore } from '../store/ports.ts'
import type { AuditEntry, Micros } from '../store/records.ts'
import type { PasswordEngine } from './password-engine.ts'
import type { Vault } from './vault.ts'

/** What the rules work with. One per service. */
export interface DomainContext {
  readonly store: DataStore
  readonly clock: Clock
  readonly passwords: PasswordEngine
  readonly vault: Vault
  /** Tells what was written, after it was: `change` with the audit entry. */
  readonly events: ServiceEvents
}

/** Emits `change` with the audit entry of every successful write, once it is durable. */
export type ServiceEvents = EventEmitter<{ change: [AuditEntry] }>

/** On whose behalf a rule runs, for the audit log. */
export interface Actor {
  /** `key:<id>`, `user:<id>`, `admin` or `visitor`. */
  readonly name: string
  readonly requestId?: string
}

/** Now, as records hold it. */
export function nowMicros(clock: Clock): Micros {
  return Math.floor(clock.now() * 1000)
}

/** The next `updatedAt`: now, but always after the last one, even when the clock stands still. */
export function nextUpdate(clock: Clock, last: Micros): Micros {
  return Math.max(nowMicros(clock), last + 1)
}

/** The audit entry for what `actor` is about to do to `target`. */
export function auditEntry(
  context: DomainContext,
  actor: Actor,
  action: string,
  tenantId: string | undefined,
  target: string,
): AuditEntry {
  return {
    at: nowMicros(context.clock),
    tenantId,
    actor: actor.name,
    requestId: actor.requestId,
    action,
    target,
  }
}
