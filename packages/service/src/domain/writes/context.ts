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

/** The parts of a service that its rules need. Each service has one context. */
export interface DomainContext {
  readonly store: DataStore
  readonly clock: Clock
  readonly passwords: PasswordEngine
  readonly leaks: LeakedPasswords
  readonly vault: Vault
  /** The rules for the domains of tenants. */
  readonly domains: DomainPolicy
  /** Whether tenants in developer mode can use private networks and the outbox page. */
  readonly allowDeveloperMode: boolean
  /** The events of this process; see {@link ServiceEvents}. */
  readonly events: ServiceEvents
}

/**
 * The events of the service. `change` has the audit entry of a write, once the write is durable.
 * `job` means that a job can continue.
 */
export type ServiceEvents = EventEmitter<{ change: [AuditEntry]; job: [] }>

/** The actor of a request or of a task of the service, for the audit log. */
export interface Actor {
  /**
   * One of `key:<id>`, `user:<id>`, `operator:<id>`, `admin`, `admin:<account of the operator>`,
   * `visitor` or `service`.
   */
  readonly name: string
  readonly requestId?: string
  /** The IP address of the client. */
  readonly address?: string | undefined
  /** The `User-Agent` of the client. */
  readonly userAgent?: string | undefined
  /** The id of the application at which the user logs in or out. */
  readonly applicationId?: string | undefined
}

/** The context and the actor of a request. Each request creates its own scope. */
export interface ServiceScope {
  readonly context: DomainContext
  readonly actor: Actor
  /** The id of the request's tenant; `undefined` for the service itself, such as for API keys. */
  readonly tenantId?: string | undefined
}

/** The scope of a request within a tenant. */
export interface Scope extends ServiceScope {
  readonly tenantId: string
}

/**
 * A version that changes at most a second after another process has written. It is `undefined` if
 * the store cannot report such writes.
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

/** Runs a task unless another process is running it. Resolves to whether this call ran the task. */
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

/**
 * The interval, in milliseconds, between attempts to run a task that another process is running.
 */
const BUSY_MS = 20

/**
 * Runs a task alone: after all earlier tasks of this process, and never together with the same task
 * of another process on the same PostgreSQL.
 */
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

/** The current time in microseconds since the epoch, as in records. */
export function nowMicros(clock: Clock): Micros {
  return Math.floor(clock.now() * 1000)
}

/**
 * The record with `changes` and a new `updatedAt`, which is later than the earlier one even if the
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
 * Checks that a record was not changed since the caller has read it.
 *
 * @param readAt - The `updatedAt` that the caller has read; `undefined` skips the check.
 * @throws ServiceError `conflict`.
 */
export function refuseStale(
  { updatedAt }: { updatedAt: Micros },
  readAt: Micros | undefined,
): void {
  if (readAt === undefined || readAt === updatedAt) return
  throw new ServiceError('conflict', reason('changed_by_other'))
}
