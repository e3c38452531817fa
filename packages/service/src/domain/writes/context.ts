import type { EventEmitter } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { DataStore } from '../../store/ports.ts'
import type { AuditEntry, Micros } from '../../store/records.ts'
import type { DomainPolicy } from '../tenants/domain-names.ts'
import type { LeakedPasswords } from '../users/leaked-passwords.ts'
import type { PasswordEngine } from '../users/password-engine.ts'
import { ServiceError } from './errors.ts'
import { reason } from './reasons/index.ts'
import type { Vault } from './vault.ts'

/** The parts that the rules need. There is one per service. */
export interface DomainContext {
  readonly store: DataStore
  readonly clock: Clock
  readonly passwords: PasswordEngine
  readonly leaks: LeakedPasswords
  readonly vault: Vault
  /** The rules for the domains of tenants. */
  readonly domains: DomainPolicy
  /** Whether developer mode opens private networks and the outbox page to its tenants. */
  readonly allowDeveloperMode: boolean
  /** Emits `change` with the audit entry, after each write. */
  readonly events: ServiceEvents
}

/**
 * Emits `change` with the audit entry of each successful write, once the write is durable, and
 * `job` when a job can continue.
 */
export type ServiceEvents = EventEmitter<{ change: [AuditEntry]; job: [] }>

/** The actor of a rule, for the audit log. */
export interface Actor {
  /** `key:<id>`, `user:<id>`, `admin`, `admin:<account of the operator>`, `visitor` or `service`. */
  readonly name: string
  readonly requestId?: string
  /** The address of the client. */
  readonly address?: string | undefined
  /** The `User-Agent` of the client. */
  readonly userAgent?: string | undefined
  /** The application at which the user logs in or out. */
  readonly applicationId?: string | undefined
}

/** The context of a request, with its actor. Created once per request. */
export interface ServiceScope {
  readonly context: DomainContext
  readonly actor: Actor
  /** The tenant of the request; `undefined` for the service itself, such as for API keys. */
  readonly tenantId?: string | undefined
}

/** One request within a tenant. */
export interface Scope extends ServiceScope {
  readonly tenantId: string
}

/**
 * A value that changes, at most a second later, when another process has written; `undefined` if the store cannot tell.
 *
 * @param tenantId - As in {@link DataStore.foreignVersion}.
 */
export function foreignVersion({ store }: DomainContext, tenantId?: string): unknown {
  return store.foreignVersion?.(tenantId)
}

/** Whether several processes serve the same data. */
export function isShared({ store }: DomainContext): boolean {
  return store.exclusively !== undefined
}

/** Runs a task unless another process is running it. Resolves to whether it ran. */
export async function exclusively(
  { store }: DomainContext,
  task: string,
  work: () => Promise<void>,
): Promise<boolean> {
  if (store.exclusively) return store.exclusively(task, work)
  await work()
  return true
}

const lines = new WeakMap<DataStore, Promise<unknown>>()

/** The interval, in milliseconds, at which to try a task again that another process is running. */
const BUSY_MS = 20

/** Runs a task after all earlier ones, of this process and of others on the same PostgreSQL. */
export function oneAfterAnother<T>(
  context: DomainContext,
  task: string,
  work: () => Promise<T>,
): Promise<T> {
  async function alone(): Promise<T> {
    for (;;) {
      let result: { value: T } | undefined
      await exclusively(context, task, async () => {
        result = { value: await work() }
      })
      if (result) return result.value
      await wait(BUSY_MS)
    }
  }
  const { store } = context
  const turn = (lines.get(store) ?? Promise.resolve()).then(alone)
  lines.set(
    store,
    turn.catch(() => {}),
  )
  return turn
}

/** The current time in the unit of records. */
export function nowMicros(clock: Clock): Micros {
  return Math.floor(clock.now() * 1000)
}

/**
 * The record with `changes` and a new `updatedAt`, which is later than the last one even if the
 * clock stands still.
 */
export function updated<T extends { updatedAt: Micros }>(
  { clock }: DomainContext,
  record: T,
  changes: Partial<T>,
): T {
  return { ...record, ...changes, updatedAt: Math.max(nowMicros(clock), record.updatedAt + 1) }
}

/**
 * Refuses a change of a record that was changed since the caller has read it.
 *
 * @param readAt - The `updatedAt` that the caller has read; `undefined` for any.
 * @throws ServiceError `conflict`.
 */
export function refuseStale(
  { updatedAt }: { updatedAt: Micros },
  readAt: Micros | undefined,
): void {
  if (readAt === undefined || readAt === updatedAt) return
  throw new ServiceError('conflict', reason('changed_by_other'))
}
