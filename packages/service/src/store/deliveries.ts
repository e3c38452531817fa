import type { Backlog } from '../telemetry/gauges.ts'
import type { Micros, StoredAuditEntry, Webhook } from './records.ts'

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

/** An event to deliver, and the entry of the audit log that it was made of. */
export type NewDelivery = Pick<Delivery, 'webhookId' | 'eventId' | 'type' | 'body'> & {
  entry: Pick<StoredAuditEntry, 'id' | 'at'>
}

/** An endpoint, and the entry of the log behind which it has missed events. */
export interface MissedEvents {
  webhook: Webhook
  from: number
}

/** A delivery that this process is to send. */
export interface DueDelivery extends Delivery {
  /** How long ago it was made, in seconds. */
  age: number
}

/** The result of an attempt. */
export type Attempt = Pick<
  Delivery,
  'id' | 'createdAt' | 'status' | 'reason' | 'millis' | 'outcome'
> & {
  /** When to try again, in seconds from now, where it has not ended. */
  waitSeconds: number
}

/** How many endpoints a tenant can have: each gets a copy of every event. */
export const MAX_WEBHOOKS = 10

/** How many deliveries of an endpoint are sent at a time. */
export const LANE_AT_ONCE = 8

/** The deliveries of one endpoint, which one process sends at a time. */
export interface Lane {
  /** The endpoint, as it was when the lane was taken. */
  webhook: Webhook
  /** Deliveries that are due, the one that waits longest first; at most {@link LANE_AT_ONCE}. */
  due: DueDelivery[]
  /** Grows when the lane is taken and given back. */
  fence: number
  /** Changes with each delivery that is added. */
  version: number
  /** How long the endpoint has accepted nothing, in seconds; `undefined`: the last attempt was accepted. */
  failingSeconds: number | undefined
}

/** The lanes of one kind: how many a process holds of each tenant, and may hold of it at most. */
export interface LaneShare {
  ofTenant: number
  held: ReadonlyMap<string, number>
}

/** Limits of the lanes that a process takes. */
export interface LaneLimits {
  quick: LaneShare
  /** Lanes of endpoints that did not accept the last event. */
  failing: LaneShare
  /** How many more of these may be taken, of all tenants together. */
  moreFailing: number
}

/** A lane that is given back. */
export interface Release {
  lane: Lane
  /** How long the endpoint is left alone. */
  pauseSeconds: number
  /** Whether the endpoint accepted nothing; `undefined`: it was not asked. */
  isFailing: boolean | undefined
}

/**
 * Deliveries of events. Each endpoint has a lane of its own, so that one that does not answer delays no other. All
 * times are those of the store's own clock.
 */
export interface DeliveryStore {
  /**
   * Adds deliveries that are due at once. An event that an endpoint has already is left out, and one that is older than
   * its endpoint.
   */
  add(deliveries: readonly NewDelivery[]): Promise<void>
  /** Adds deliveries that are due at once, and sends a finished event again. */
  addAgain(deliveries: readonly Omit<NewDelivery, 'entry'>[]): Promise<void>
  /** Whether something may be due, as of a second ago at most. Without this method it is always asked. */
  mayBeDue?(): boolean
  /**
   * Takes up to `limit` lanes with due deliveries that no other process holds, for `seconds`; those of failing endpoints
   * come last.
   */
  claim(limit: number, seconds: number, limits?: LaneLimits): Promise<Lane[]>
  /** Holds lanes for longer, except those that were given back, or that another process has taken. */
  renew(lanes: readonly Lane[], seconds: number): Promise<void>
  /**
   * Makes deliveries due again that are put off too far because the clock was set back: lanes that
   * are held for longer than a lease or than the longest pause of a failing endpoint, and
   * deliveries that were made or tried in the future.
   *
   * @returns How many lanes.
   */
  recall(leaseSeconds: number, longestPauseSeconds: number): Promise<number>
  /**
   * Stores the results of attempts, which end deliveries or put them back. A delivery that was added again meanwhile
   * stays due.
   */
  finish(attempts: readonly Attempt[]): Promise<void>
  /**
   * Gives lanes back; answers for each in how many seconds the next of its deliveries is to be sent, if one waits.
   */
  release(releases: readonly Release[]): Promise<(number | undefined)[]>
  /** Notes, before an endpoint is switched off, from which entry of the log on it misses events. */
  miss(webhookId: string): Promise<void>
  /** The endpoints that are on and have missed events while they were off. */
  missed(): Promise<MissedEvents[]>
  /**
   * Records that the missed events up to an entry of the log were added, or all of them. Returns
   * `false` if the endpoint was switched off meanwhile.
   */
  madeUp(missed: MissedEvents, to: number | undefined): Promise<boolean>
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
