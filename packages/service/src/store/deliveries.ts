import type { Backlog } from '../telemetry/gauges.ts'
import type { Micros, StoredAuditEntry, Webhook } from './records.ts'

/** How long deliveries are kept after they were made. */
export const DELIVERIES_KEPT_DAYS = 30

/** The due time of an endpoint that has no waiting deliveries. */
export const NOT_DUE: Micros = Number.MAX_SAFE_INTEGER

/** An event on its way to an endpoint. */
export interface Delivery {
  /** Grows with each delivery. */
  id: number
  webhookId: string
  eventId: string
  /** The type of the event. */
  type: string
  /** The body. It is sent in the same bytes each time, because it is signed. */
  body: string
  createdAt: Micros
  /** The time of the next attempt, while the delivery waits. */
  dueAt: Micros
  /** The number of attempts so far. */
  attempts: number
  triedAt: Micros | undefined
  /** The status of the last answer. */
  status: number | undefined
  /** Why there was no usable answer. */
  reason: string | undefined
  /** How long the last answer took, in milliseconds. */
  millis: number | undefined
  outcome: DeliveryOutcome | undefined
}

/** How a delivery ended. */
export type DeliveryOutcome = 'delivered' | 'given_up'

/** The state of a delivery. */
export type DeliveryState = DeliveryOutcome | 'waiting'

/** An event to deliver, and the entry of the audit log behind it. */
export type NewDelivery = Pick<Delivery, 'webhookId' | 'eventId' | 'type' | 'body'> & {
  entry: Pick<StoredAuditEntry, 'id' | 'at'>
}

/** An endpoint, and the id of the entry after which it has missed events. */
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
  /** The seconds until the next attempt, unless the delivery has ended. */
  waitSeconds: number
}

/** How many endpoints a tenant can have: each gets a copy of every event. */
export const MAX_WEBHOOKS = 10

/** How many deliveries of an endpoint are sent at a time. */
export const LANE_AT_ONCE = 8

/** The waiting deliveries of one endpoint. One process at a time holds a lane and sends them. */
export interface Lane {
  /** The endpoint, as it was when the lane was taken. */
  webhook: Webhook
  /** Deliveries that are due, the one that waits longest first; at most {@link LANE_AT_ONCE}. */
  due: DueDelivery[]
  /** Grows each time the lane is taken or given back. */
  fence: number
  /** Changes whenever a delivery is added. */
  version: number
  /** For how many seconds the endpoint has accepted nothing; `undefined` if it accepted the last attempt. */
  failingSeconds: number | undefined
}

/**
 * Limits for lanes of one kind. `ofTenant`: how many lanes of a tenant this process may hold.
 * `held`: how many it holds now, by tenant.
 */
export interface LaneShare {
  ofTenant: number
  held: ReadonlyMap<string, number>
}

/** The limits within which a process takes lanes. */
export interface LaneLimits {
  quick: LaneShare
  /** For endpoints that did not accept the last event. */
  failing: LaneShare
  /** How many more failing lanes may be taken, of all tenants together. */
  moreFailing: number
}

/** A lane that is given back. */
export interface Release {
  lane: Lane
  /** How long nothing is sent to the endpoint, in seconds. */
  pauseSeconds: number
  /** Whether the endpoint accepted nothing; `undefined` if nothing was sent to it. */
  isFailing: boolean | undefined
}

/**
 * Deliveries of events. Each endpoint has a lane of its own, so that one without an answer does not delay the others.
 * All times are from the clock of the store.
 */
export interface DeliveryStore {
  /**
   * Adds deliveries that are due at once. Left out are events that the endpoint already has, and events from before the
   * endpoint was created.
   */
  add(deliveries: readonly NewDelivery[]): Promise<void>
  /** Like `add`, but also sends events again whose delivery has ended. */
  addAgain(deliveries: readonly Omit<NewDelivery, 'entry'>[]): Promise<void>
  /** Whether something may have been due within the last second. Without this method, the store is always asked. */
  mayBeDue?(): boolean
  /**
   * Takes up to `limit` lanes with due deliveries that no other process holds, for `seconds`. Lanes of failing
   * endpoints come last.
   */
  claim(limit: number, seconds: number, limits?: LaneLimits): Promise<Lane[]>
  /** Extends the lease of lanes. Lanes that were given back, or that another process has taken, stay as they are. */
  renew(lanes: readonly Lane[], seconds: number): Promise<void>
  /**
   * Corrects times after a clock was set back: lanes become free, and deliveries due, whose time
   * lies further ahead than any lease or pause allows.
   *
   * @returns The number of lanes.
   */
  recall(leaseSeconds: number, longestPauseSeconds: number): Promise<number>
  /**
   * Stores the results of attempts. A delivery then has ended or waits for its next attempt; one that was added again
   * in the meantime stays due.
   */
  finish(attempts: readonly Attempt[]): Promise<void>
  /** Gives lanes back. Resolves, for each lane, to the seconds until its next delivery is due, if one waits. */
  release(releases: readonly Release[]): Promise<(number | undefined)[]>
  /**
   * Records the entry of the log after which an endpoint misses events. Call it before the endpoint
   * is switched off.
   */
  miss(webhookId: string): Promise<void>
  /** The enabled endpoints that missed events while they were switched off. */
  missed(): Promise<MissedEvents[]>
  /**
   * Records that the missed events up to an entry of the log were added, or all of them. Returns
   * `false` if the endpoint was switched off meanwhile.
   */
  madeUp(missed: MissedEvents, to: number | undefined): Promise<boolean>
  /** Ends the failures and the pause of an endpoint that is switched on again. */
  resume(webhookId: string): Promise<void>
  /** Deliveries of an endpoint, the newest first, after the one with this id in that order. */
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
