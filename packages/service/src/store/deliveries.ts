import type { Backlog } from '../telemetry/gauges.ts'
import type { Micros, StoredAuditEntry, Webhook } from './records.ts'

/** The number of days for which a delivery is kept after its creation. */
export const DELIVERIES_KEPT_DAYS = 30

/** The due time of an endpoint without waiting deliveries. */
export const NOT_DUE: Micros = Number.MAX_SAFE_INTEGER

/** The delivery of an event to an endpoint, with the result of the last attempt. */
export interface Delivery {
  /** The id of the delivery. A later delivery has a higher id. */
  id: number
  webhookId: string
  eventId: string
  /** The type of the event. */
  type: string
  /** The body of the request. Each attempt sends the same bytes, because they are signed. */
  body: string
  createdAt: Micros
  /** The time of the next attempt, while the delivery waits. */
  dueAt: Micros
  /** The number of attempts so far. */
  attempts: number
  /** The time of the last attempt. */
  triedAt: Micros | undefined
  /** The HTTP status of the last response. */
  status: number | undefined
  /** The reason why the last attempt got no usable response. */
  reason: string | undefined
  /** The duration of the last attempt, in milliseconds. */
  millis: number | undefined
  outcome: DeliveryOutcome | undefined
}

/** The outcome of a delivery that is not tried again. */
export type DeliveryOutcome = 'delivered' | 'given_up'

/** The state of a delivery. */
export type DeliveryState = DeliveryOutcome | 'waiting'

/** An event to deliver, and the audit log entry that the event reports. */
export type NewDelivery = Pick<Delivery, 'webhookId' | 'eventId' | 'type' | 'body'> & {
  entry: Pick<StoredAuditEntry, 'id' | 'at'>
}

/**
 * An endpoint that has missed events. `from`: the id of the audit log entry after which events are
 * missing.
 */
export interface MissedEvents {
  webhook: Webhook
  from: number
}

/** A delivery that this process is to send. */
export interface DueDelivery extends Delivery {
  /** The seconds since the delivery was created. */
  age: number
}

/** The result of an attempt to send a delivery. */
export type Attempt = Pick<
  Delivery,
  'id' | 'createdAt' | 'status' | 'reason' | 'millis' | 'outcome'
> & {
  /** The seconds until the next attempt. Ignored if `outcome` is set. */
  waitSeconds: number
}

/**
 * The maximum number of webhook endpoints of a tenant. Each endpoint gets a copy of every event.
 */
export const MAX_WEBHOOKS = 10

/** The maximum number of deliveries of an endpoint that are sent at a time. */
export const LANE_AT_ONCE = 8

/**
 * The waiting deliveries of one endpoint. One process at a time holds a lane and sends its
 * deliveries.
 */
export interface Lane {
  /** The endpoint, as it was when the lane was taken. */
  webhook: Webhook
  /** Deliveries that are due, the longest waiting first; at most {@link LANE_AT_ONCE}. */
  due: DueDelivery[]
  /**
   * A number that grows each time the lane is taken or released. A process with a lower fence no
   * longer holds the lane.
   */
  fence: number
  /** A number that changes whenever a delivery is added. */
  version: number
  /**
   * The seconds for which the endpoint has accepted nothing; `undefined` if it accepted the last
   * attempt.
   */
  failingSeconds: number | undefined
}

/**
 * The limit for lanes of one kind. `ofTenant`: the maximum number of lanes of a tenant that this
 * process holds. `held`: the numbers of lanes that it holds now, by tenant id.
 */
export interface LaneShare {
  ofTenant: number
  held: ReadonlyMap<string, number>
}

/** The limits within which a process takes lanes. */
export interface LaneLimits {
  /** The limit for lanes of endpoints that accepted the last event. */
  quick: LaneShare
  /** The limit for lanes of endpoints that did not accept the last event. */
  failing: LaneShare
  /** The number of further failing lanes that may be taken, of all tenants together. */
  moreFailing: number
}

/** A lane to release, with the result of its deliveries. */
export interface Release {
  lane: Lane
  /** The seconds for which nothing is sent to the endpoint. */
  pauseSeconds: number
  /** Whether the endpoint accepted nothing; `undefined` if nothing was sent to the endpoint. */
  isFailing: boolean | undefined
}

/**
 * Deliveries of events. Each endpoint has a lane of its own, so that a slow endpoint does not delay
 * other endpoints. All times are from the clock of the store.
 */
export interface DeliveryStore {
  /**
   * Adds deliveries, which are due at once. Skips events that the endpoint already has, events from
   * before the endpoint was created, and events for deleted endpoints.
   */
  add(deliveries: readonly NewDelivery[]): Promise<void>
  /**
   * Adds deliveries like `add`, but of events of any time. Events that the endpoint already has are
   * sent again.
   */
  addAgain(deliveries: readonly Omit<NewDelivery, 'entry'>[]): Promise<void>
  /**
   * Whether a delivery may be due. Sends no query, so the answer may be a second old. A store
   * without this method has to be asked by `claim`.
   */
  mayBeDue?(): boolean
  /**
   * Takes up to `limit` lanes for `seconds`: those with due deliveries that no other process holds,
   * except lanes of disabled endpoints. Lanes of failing endpoints come last. Default of `limits`:
   * no limits.
   */
  claim(limit: number, seconds: number, limits?: LaneLimits): Promise<Lane[]>
  /**
   * Extends the leases of lanes to `seconds` from now. Skips lanes that were released, or that
   * another process has taken.
   */
  renew(lanes: readonly Lane[], seconds: number): Promise<void>
  /**
   * Corrects times after a clock was set back. Frees lanes whose lease or pause ends too far ahead,
   * and makes deliveries due whose due time cannot be right.
   *
   * @returns The number of freed lanes.
   */
  recall(leaseSeconds: number, longestPauseSeconds: number): Promise<number>
  /**
   * Stores the results of attempts. A delivery that was added again since the attempt began stays
   * due.
   */
  finish(attempts: readonly Attempt[]): Promise<void>
  /**
   * Releases lanes. Resolves, for each lane, to the seconds until its next delivery can be sent;
   * `undefined` if no delivery waits, or another process has taken the lane.
   */
  release(releases: readonly Release[]): Promise<(number | undefined)[]>
  /**
   * Records the position in the audit log after which an endpoint misses events. Call this method
   * before the endpoint is switched off.
   */
  miss(webhookId: string): Promise<void>
  /** The enabled endpoints that missed events while they were switched off. */
  missed(): Promise<MissedEvents[]>
  /**
   * Records that the missed events up to the entry `to` of the audit log were added; `undefined`:
   * all of them. Resolves to `false`, and records nothing, if the endpoint was switched off
   * meanwhile.
   */
  madeUp(missed: MissedEvents, to: number | undefined): Promise<boolean>
  /** Resets the failures and the pause of an endpoint that is switched on again. */
  resume(webhookId: string): Promise<void>
  /** Lists deliveries of an endpoint, the newest first: at most `limit` with ids below `before`. */
  list(
    webhookId: string,
    query: { state?: DeliveryState | undefined; before: number | undefined; limit: number },
  ): Promise<Delivery[]>
  get(webhookId: string, id: number): Promise<Delivery | undefined>
  /**
   * The number of waiting deliveries and the age of the oldest. Deliveries of disabled endpoints do
   * not count.
   */
  backlog(): Promise<Backlog>
  /**
   * Deletes old deliveries, and the endpoints of erased tenants that have no waiting deliveries.
   */
  prune(): Promise<void>
}
