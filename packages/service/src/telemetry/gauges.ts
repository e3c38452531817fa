/** One value of a gauge, with its labels. */
export interface Reading {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric whose values are read when the metrics are requested. */
export interface Gauge {
  /** The name in Prometheus. */
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  /**
   * Reads the values. If reading fails or takes too long, the response has no value of the gauge.
   */
  read(): Promise<Reading[]>
}

/** The messages that wait in a queue. */
export interface Backlog {
  readonly waiting: number
  /** The seconds since the oldest message was queued; 0 if none waits. */
  readonly oldestAge: number
}

/** The lag of a reader of the audit log. */
export interface ReaderLag {
  readonly reader: string
  /**
   * The time of the oldest unread entry, in microseconds since the epoch; `undefined` if all
   * entries are read.
   */
  readonly oldestAt: number | undefined
}

/** The parts of a service that the gauges read. */
export interface GaugeSources {
  readonly version: string
  readonly clock: { now(): number }
  readonly passwords: { readonly load: { running: number; waiting: number } }
  /** The queues, by the value of the label `queue`. */
  readonly queues: Readonly<Record<string, { backlog(): Promise<Backlog> }>>
  readonly cursors: { lag(): Promise<ReaderLag[]> }
}

/** The gauges of a service. Add new gauges here. */
export function gaugesOf({ version, clock, passwords, queues, cursors }: GaugeSources): Gauge[] {
  const backlogs = sharedFor(500, () =>
    Promise.all(
      Object.entries(queues).map(async ([queue, { backlog }]) => ({
        labels: { queue },
        ...(await backlog()),
      })),
    ),
  )
  return [
    {
      name: 'latchkey_build_info',
      help: 'Always 1; the label is the version of the service.',
      labels: ['version'],
      read: async () => [{ labels: { version }, value: 1 }],
    },
    {
      name: 'latchkey_password_queue_length',
      help: 'Passwords that wait for their hash.',
      labels: [],
      read: async () => [{ labels: {}, value: passwords.load.waiting }],
    },
    {
      name: 'latchkey_password_hashes_running',
      help: 'Hashes of passwords that are being computed.',
      labels: [],
      read: async () => [{ labels: {}, value: passwords.load.running }],
    },
    {
      name: 'latchkey_queue_waiting',
      help: 'Messages that wait to be sent, in all processes on the same data.',
      labels: ['queue'],
      read: async () =>
        (await backlogs()).map(({ labels, waiting }) => ({ labels, value: waiting })),
    },
    {
      name: 'latchkey_queue_oldest_age_seconds',
      help: 'The age of the oldest message that waits to be sent; 0 when none waits.',
      labels: ['queue'],
      read: async () =>
        (await backlogs()).map(({ labels, oldestAge }) => ({ labels, value: oldestAge })),
    },
    {
      name: 'latchkey_reader_lag_seconds',
      help: 'The age of the oldest audit entry that a reader of the log has not read; 0 when none is unread.',
      labels: ['reader'],
      read: async () =>
        (await cursors.lag()).map(({ reader, oldestAt }) => ({
          labels: { reader },
          value: oldestAt === undefined ? 0 : Math.max(0, clock.now() / 1e3 - oldestAt / 1e6),
        })),
    },
  ]
}

/**
 * Makes a function that reads at most once in `ms`, so that gauges of one response share a reading.
 */
function sharedFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let latest: { at: number; result: Promise<T> } | undefined
  return () => {
    const now = performance.now()
    if (!latest || now - latest.at > ms) latest = { at: now, result: read() }
    return latest.result
  }
}
