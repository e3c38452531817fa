/** The shape of a metric: its name in Prometheus, its meaning, and the names of its labels. */
interface Definition {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

/**
 * All counters. Values of labels come from fixed lists, and never contain a tenant, a user, an
 * address or a secret.
 */
export const counters = {
  logins: {
    name: 'latchkey_logins_total',
    help: 'Logins by their first step: "succeeded", or the reason of the refusal.',
    labels: ['outcome', 'method'],
  },
  secondSteps: {
    name: 'latchkey_second_steps_total',
    help: 'Second steps of logins: "succeeded", or the reason of the refusal.',
    labels: ['outcome', 'method'],
  },
  mails: {
    name: 'latchkey_mails_total',
    help: 'Attempts to send mail: "sent", "failed" (it is tried again) or "given_up".',
    labels: ['outcome'],
  },
  limits: {
    name: 'latchkey_limits_refused_total',
    help: 'Requests and attempts that a limit refused, by the name of the limit.',
    labels: ['limit'],
  },
  cacheLookups: {
    name: 'latchkey_cache_lookups_total',
    help: 'Look-ups in a cache of this process: "hit" or "miss".',
    labels: ['cache', 'result'],
  },
  storeErrors: {
    name: 'latchkey_store_errors_total',
    help: 'Failures of a store: it was not reached, or not in time, or could not do its work.',
    labels: ['store'],
  },
} as const satisfies Record<string, Definition>

const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const SLOW = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** All histograms of durations, in seconds. */
export const histograms = {
  httpRequests: {
    name: 'latchkey_http_request_duration_seconds',
    help: 'Requests by the pattern of their route; "other" for paths that no route has.',
    labels: ['method', 'route', 'status'],
    buckets: SLOW,
  },
  passwordWaits: {
    name: 'latchkey_password_wait_seconds',
    help: 'How long a password waited until its hash was computed.',
    labels: ['priority'],
    buckets: SLOW,
  },
  passwordHashes: {
    name: 'latchkey_password_hash_seconds',
    help: 'How long the hash of a password took.',
    labels: ['priority'],
    buckets: SLOW,
  },
  poolWaits: {
    name: 'latchkey_postgres_pool_wait_seconds',
    help: 'How long a write waited for a connection to PostgreSQL.',
    labels: ['pool'],
    buckets: QUICK,
  },
} as const satisfies Record<string, Definition & { buckets: readonly number[] }>

/** The name of a counter. */
export type CounterName = keyof typeof counters

/** The name of a histogram. */
export type HistogramName = keyof typeof histograms

type Labels<D extends Definition> = Readonly<Record<D['labels'][number], string>>

/** A receiver of the values of counters and histograms. */
export interface Recorder {
  count(name: CounterName, labels: Readonly<Record<string, string>>): void
  observe(name: HistogramName, labels: Readonly<Record<string, string>>, seconds: number): void
}

/** The recorders of the whole process. The set is empty if no metrics are served. */
const recorders = new Set<Recorder>()

/** Passes every value of this process to a recorder, until the returned function is called. */
export function recordTo(recorder: Recorder): () => void {
  recorders.add(recorder)
  return () => void recorders.delete(recorder)
}

/** Adds one to a counter. Without a recorder, nothing happens. */
export function count<N extends CounterName>(name: N, labels: Labels<(typeof counters)[N]>): void {
  for (const recorder of recorders) recorder.count(name, labels)
}

/** Adds a duration to a histogram. Without a recorder, nothing happens. */
export function observe<N extends HistogramName>(
  name: N,
  labels: Labels<(typeof histograms)[N]>,
  seconds: number,
): void {
  for (const recorder of recorders) recorder.observe(name, labels, seconds)
}

/** The seconds since `start`, which is from `performance.now()`. */
export function secondsSince(start: number): number {
  return (performance.now() - start) / 1_000
}
