import type { Backlog } from '../telemetry/gauges.ts'
import type { Micros } from './records.ts'

/** How long deliveries are kept after they were made. */
export const DELIVERIES_KEPT_DAYS = 30

/** The due time of an endpoint without waiting deliveries. */
export const NOT_DUE: Micros = Number.MAX_SAFE_INTEGER

/** An event on its way to an endpoint. */
export interface Delivery {
  /** Grows with each delivery. */
  id: number
  webhookId: string
  eventId: string
  /** The type of the event. */
  type: string
  /** The body, as it is sent each time: a signature holds for its bytes. */
  body: string
  createdAt: Micros
  /** When it is tried next, as long as it waits. */
  dueAt: Micros
  /** How often it was tried. */
  attempts: number
  triedAt: Micros | undefined
  /** The status of the last answer. */
  status: number | undefined
  /** Why there was no answer, or none that could be used. */
  reason: string | undefined
  /** How long the last answer took. */
  millis: number | undefined
  outcome: DeliveryOutcome | undefined
}

/** How a delivery ended. */
export type DeliveryOutcome = 'delivered' | 'given_up'

/** The state of a delivery. */
export type DeliveryState = DeliveryOutcome | 'waiting'

/** An event to deliver. */
export type NewDelivery = Pick<Delivery, 'webhookId' | 'eventId' | 'type' | 'body'>

/** A delivery that this process is to send. */
export interface DueDelivery extends Delivery {
  /** How long ago it was made, in seconds. */
  age: number
}

/** The result of an attempt. */
export type Attempt = Pick<Delivery, 'id' | 'status' | 'reason' | 'millis' | 'outcome'> & {
  /** When to try again, in seconds from now, where it has not ended. */
  waitSeconds: number
}

/** The deliveries of one endpoint, which one process sends at a time. */
export interface Lane {
  tenantId: string
  webhookId: string
  /** Grows with each process that takes it. */
  fence: number
  /** How long the endpoint has accepted nothing, in seconds; `undefined`: the last attempt was accepted. */
  failingSeconds: number | undefined
}

/**
 * Deliveries of events. Each endpoint has a lane of its own, so that one that does not answer delays no other. All
 * times are those of the store's own clock.
 */
export interface DeliveryStore {
  /** Adds deliveries that are due at once. An event that an endpoint has already is left out. */
  add(deliveries: readonly NewDelivery[]): Promise<void>
  /** Like {@link DeliveryStore.add}, but sends an event that has ended once more. */
  addAgain(deliveries: readonly NewDelivery[]): Promise<void>
  /** Whether something may be due, as of a second ago at most. Without this method it is always asked. */
  mayBeDue?(): boolean
  /** Takes up to `limit` lanes with due deliveries that no other process holds, for `seconds`. */
  claim(limit: number, seconds: number): Promise<Lane[]>
  /** Holds a lane for longer; answers `false` when another process has it. */
  renew(lane: Lane, seconds: number): Promise<boolean>
  /**
   * Gives a lane back, to be left alone for a time; answers in how many seconds the next of its deliveries is
   * to be sent, if one waits.
   */
  release(lane: Lane, pauseSeconds: number): Promise<number | undefined>
  /** The deliveries of a lane that are due, the one that waits longest first. */
  due(webhookId: string, limit: number): Promise<DueDelivery[]>
  /** Stores the results of attempts. */
  finish(attempts: readonly Attempt[]): Promise<void>
  /** Keeps since when an endpoint accepts nothing, or that it has accepted something. */
  setFailing(webhookId: string, isFailing: boolean): Promise<void>
  /** Forgets the failures of an endpoint that is switched on again, and that it was left alone. */
  resume(webhookId: string): Promise<void>
  /** Deliveries of an endpoint, the newest first, that come before the one with this id. */
  list(
    webhookId: string,
    query: { state?: DeliveryState | undefined; before: number | undefined; limit: number },
  ): Promise<Delivery[]>
  get(webhookId: string, id: number): Promise<Delivery | undefined>
  /** The deliveries that wait. Those of endpoints that are switched off do not count. */
  backlog(): Promise<Backlog>
  /** Removes old deliveries, and endpoints of deleted tenants that have nothing to deliver any more. */
  prune(): Promise<void>
}
