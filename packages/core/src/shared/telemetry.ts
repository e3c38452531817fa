import { createGuardedCalls } from './guarded-calls.ts'
import { isThenable, type MaybePromise } from './maybe-promise.ts'

/** The part of an OpenTelemetry span that the kit uses. */
export interface TelemetrySpan {
  spanContext(): { readonly traceId: string; readonly spanId: string }
  setAttribute(name: string, value: string | number): unknown
  setStatus(status: { readonly code: number }): unknown
  end(): void
}

/** The part of the module `@opentelemetry/api` that the kit uses. Needs version 1.3 or newer. */
export interface TelemetryApi {
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options?: SpanOptions, parent?: object): TelemetrySpan
    }
    getActiveSpan(): TelemetrySpan | undefined
    setSpan(context: object, span: TelemetrySpan): object
  }
  readonly context: {
    active(): object
    with(context: object, work: () => unknown): unknown
  }
  readonly metrics: {
    getMeter(name: string): {
      createCounter(name: string, options?: { readonly description: string }): Counter
    }
  }
}

interface SpanOptions {
  readonly kind: number
  readonly attributes: Attributes
}

interface Counter {
  add(count: number, attributes?: Readonly<Record<string, string>>): void
}

type Attributes = Readonly<Record<string, string | number>>

/** The ids of a span, for log lines. */
export interface TraceIds {
  readonly trace_id: string
  readonly span_id: string
}

/** The operations of the kit that have a span of their own. */
export type TracedStep = 'login' | 'callback' | 'refresh' | 'logout' | 'backchannel_logout'

/** Spans and counters of one application. They contain no secret, message, query or user. */
export interface Telemetry {
  /** Runs an operation in a span below the active span. A failure is counted once, by its code. */
  step<T>(name: TracedStep, work: () => Promise<T>): Promise<T>
  /** Counts an operation that has succeeded. */
  succeeded(name: CountedStep): void
  /** Calls the session store, in a span if one is active. Failures are counted by operation. */
  store<T>(operation: string, ask: () => MaybePromise<T>): MaybePromise<T>
  /** Sends a request to the provider, in a span if one is active. */
  exchange<T extends { readonly status: number }>(
    method: string,
    url: string,
    send: () => Promise<T>,
  ): Promise<T>
  /**
   * The ids of the span in which an error was thrown, otherwise of the active span; `undefined`
   * without a span.
   */
  idsOf(error?: object): TraceIds | undefined
}

const NAME = '@latchkey/core'
/**
 * The values of `SpanKind` and `SpanStatusCode`, which are the same in every version of the API.
 */
const [INTERNAL, CLIENT, ERROR] = [0, 2, 2]

/** The counter that each operation adds to. */
const COUNTED = {
  login: 'latchkey.logins',
  callback: 'latchkey.logins',
  refresh: 'latchkey.refreshes',
} as const

type CountedStep = keyof typeof COUNTED

const DESCRIPTIONS = {
  'latchkey.logins': 'Logins that succeeded, or failed with a code.',
  'latchkey.refreshes': 'Refreshes of access tokens that succeeded, or failed with a code.',
  'latchkey.store.errors': 'Operations that the session store failed.',
} as const

/** Telemetry that measures nothing. */
const SILENT: Telemetry = {
  step: (_, work) => work(),
  succeeded() {},
  store: (_, ask) => ask(),
  exchange: (_method, _url, send) => send(),
  idsOf: () => undefined,
}

/**
 * Creates the telemetry of one application.
 *
 * @param api - The module of OpenTelemetry. Without this module, nothing is measured. Its errors
 *   change no result.
 *
 * @param failed - Called only with the first error of the module.
 */
export function createTelemetry(
  api: TelemetryApi | undefined,
  failed: (cause: unknown) => void,
): Telemetry {
  return api ? telemetryOver(api, failed) : SILENT
}

function telemetryOver(
  { trace, context, metrics }: TelemetryApi,
  failed: (cause: unknown) => void,
): Telemetry {
  const { attempt, within: runWithin } = createGuardedCalls(failed)
  const activeSpan = () => attempt(() => trace.getActiveSpan())
  const counters = new Map<string, Counter>()
  const failures = new WeakMap<object, TraceIds>()
  const counted = new WeakSet<object>()

  const count = (name: keyof typeof DESCRIPTIONS, attributes: Record<string, string>): void =>
    attempt(() => {
      // Created at the first use, because a counter that is created before the SDK starts does
      // nothing.
      const counter =
        counters.get(name) ??
        metrics.getMeter(NAME).createCounter(name, { description: DESCRIPTIONS[name] })
      counters.set(name, counter)
      counter.add(1, attributes)
    })
  const ids = (span: TelemetrySpan | undefined): TraceIds | undefined => {
    const found = attempt(() => span?.spanContext())
    // Without an SDK, all ids are zero.
    if (!found || /^0+$/.test(found.traceId)) return undefined
    return { trace_id: found.traceId, span_id: found.spanId }
  }
  /**
   * Counts a failed operation. The same error is counted only once, though it fails two operations
   * if a callback restarts the login.
   */
  const countFailure = (name: TracedStep, error: unknown): void => {
    if (!isCounted(name) || (isObject(error) && counted.has(error))) return
    if (isObject(error)) counted.add(error)
    count(COUNTED[name], { outcome: outcomeOf(error) })
  }
  const fail = (span: TelemetrySpan, error: unknown): void => {
    attempt(() => span.setAttribute('error.type', typeOf(error)))
    if (!isVisitors(error)) attempt(() => span.setStatus({ code: ERROR }))
    const found = ids(span)
    if (found && isObject(error) && !failures.has(error)) failures.set(error, found)
  }
  /** Runs `work` in a span that ends when `work` is done. */
  const within = <T>(
    name: string,
    options: SpanOptions,
    work: () => MaybePromise<T>,
    done?: (span: TelemetrySpan, value: T) => void,
  ): MaybePromise<T> => {
    const begun = attempt(() => {
      const parent = context.active()
      const span = trace.getTracer(NAME).startSpan(name, options, parent)
      return { span, inside: trace.setSpan(parent, span) }
    })
    if (!begun) return work()
    const { span, inside } = begun
    const run = (): MaybePromise<T> =>
      settle(
        work,
        (value) => attempt(() => done?.(span, value)),
        (error) => fail(span, error),
        () => attempt(() => span.end()),
      )
    return runWithin((once) => context.with(inside, once), run)
  }

  return {
    step: (name, work) =>
      within(`latchkey.${name}`, PLAIN, () =>
        settle(work, undefined, (error) => countFailure(name, error)),
      ) as ReturnType<typeof work>,
    succeeded: (name) => count(COUNTED[name], { outcome: 'succeeded' }),
    store: (operation, ask) => {
      const watched = () =>
        settle(ask, undefined, (error) => {
          if (!isVisitors(error)) count('latchkey.store.errors', { operation })
        })
      return activeSpan()
        ? within(`latchkey.store.${operation}`, { kind: CLIENT, attributes: {} }, watched)
        : watched()
    },
    exchange(method, url, send) {
      if (!activeSpan()) return send()
      const attributes = { 'http.request.method': method, 'server.address': new URL(url).hostname }
      return within('latchkey.provider', { kind: CLIENT, attributes }, send, (span, { status }) =>
        span.setAttribute('http.response.status_code', status),
      ) as ReturnType<typeof send>
    },
    idsOf: (error) => (error && failures.get(error)) ?? ids(activeSpan()),
  }
}

function isCounted(name: TracedStep): name is CountedStep {
  return name in COUNTED
}

const PLAIN: SpanOptions = { kind: INTERNAL, attributes: {} }

/** Runs work and reports its outcome, synchronously if it returns no promise. */
function settle<T>(
  work: () => MaybePromise<T>,
  done: ((value: T) => void) | undefined,
  failed: (error: unknown) => void,
  ended?: () => void,
): MaybePromise<T> {
  const kept = (value: T): T => {
    done?.(value)
    ended?.()
    return value
  }
  const lost = (error: unknown): never => {
    failed(error)
    ended?.()
    throw error
  }
  let answer: MaybePromise<T>
  try {
    answer = work()
  } catch (error) {
    return lost(error)
  }
  return isThenable(answer) ? answer.then(kept, lost) : kept(answer)
}

/**
 * The code of an error of the kit, and `error` for every other error, so that there are few values.
 */
function outcomeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' && code.startsWith('LATCHKEY_') ? code : 'error'
}

/**
 * The code of an error, or the name of its class. The message is left out, because it may contain
 * data of a user.
 */
function typeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  const found = [code, name].find((one) => typeof one === 'string' && /^[\w.]{1,60}$/.test(one))
  return (found as string | undefined) ?? 'Error'
}

/**
 * Whether an error was caused by the visitor, such as a cancelled login, and is no failure of the
 * application.
 */
function isVisitors(error: unknown): boolean {
  const { code, expose } = Object(error) as { code?: unknown; expose?: unknown }
  return expose === true && String(code).startsWith('LATCHKEY_')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
