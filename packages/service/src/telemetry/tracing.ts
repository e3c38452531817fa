import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { methodOf, routeOf } from './route.ts'

/**
 * The tracer of the service, which needs only the OpenTelemetry API. Spans go to the SDK that the
 * operator has loaded; without an SDK, they cost almost nothing. A span has names from fixed lists,
 * durations and the kind of an error, but never the message of an error.
 */
const tracer = trace.getTracer('@latchkey/service')

/**
 * Wraps the requests of a server in spans named `METHOD route`.
 *
 * @param isTrusted - Whether to accept the `traceparent` of a request. All other requests begin a
 *   new trace, because strangers could force sampling, or forge ids of traces.
 */
export function traceRequests(
  isTrusted: (request: IncomingMessage) => boolean,
  listener: RequestListener,
): RequestListener {
  return (request, response) => {
    const parent = parentOf(request, isTrusted)
    const method = methodOf(request)
    const attributes = { 'http.request.method': method }
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent)
    if (!isSpanContextValid(span.spanContext())) return listener(request, response)
    response.once('close', () => endRequest(span, request, response))
    return context.with(trace.setSpan(parent, span), listener, undefined, request, response)
  }
}

/**
 * The context of the parent span: the span of an HTTP instrumentation, or else the span of a
 * trusted proxy. Without either, the request begins a new trace.
 */
function parentOf(request: IncomingMessage, isTrusted: (one: IncomingMessage) => boolean): Context {
  const active = context.active()
  if (trace.getSpan(active)) return active
  return isTrusted(request) ? propagation.extract(ROOT_CONTEXT, request.headers) : ROOT_CONTEXT
}

function endRequest(span: Span, request: IncomingMessage, response: ServerResponse): void {
  const route = routeOf(request)
  span.updateName(`${methodOf(request)} ${route}`)
  span.setAttribute('http.route', route)
  span.setAttribute('http.response.status_code', response.statusCode)
  if (!response.writableFinished) fail(span, 'aborted')
  else if (response.statusCode >= 500) fail(span, String(response.statusCode))
  span.end()
}

/** Sets the tenant in the span of the request. */
export function traceTenant(tenantId: string): void {
  trace.getActiveSpan()?.setAttribute('latchkey.tenant.id', tenantId)
}

/** Sets the status of a response in the active span. */
export function traceStatus(status: number): void {
  trace.getActiveSpan()?.setAttribute('http.response.status_code', status)
}

/** Runs work in a span of its own trace, outside of the request that happened to start it. */
export function inOwnTrace<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  return within(tracer.startSpan(name, { attributes }, ROOT_CONTEXT), ROOT_CONTEXT, work)
}

/** Runs work outside of every trace. */
export function untraced<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work)
}

/** Binds a function to the active trace, because another request may call the function. */
export function bound<F extends (...args: never[]) => unknown>(work: F): F {
  return isTraced() ? context.bind(context.active(), work) : work
}

/** Runs work in a span below the active span. Without an active span, runs only the work. */
export function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  if (!isTraced()) return work()
  const parent = context.active()
  return within(tracer.startSpan(name, { attributes }, parent), parent, work)
}

/** Runs a call to PostgreSQL or Redis in a span below the active span, if there is one. */
export function inClientSpan<T>(
  system: 'postgresql' | 'redis',
  operation: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!isTraced()) return work()
  const parent = context.active()
  const span = tracer.startSpan(operation, clientSpan(system, operation), parent)
  return within(span, parent, work)
}

/** Runs a synchronous call to SQLite in a span below the active span, if there is one. */
export function inClientSpanNow<T>(system: 'sqlite', operation: () => string, work: () => T): T {
  if (!isTraced()) return work()
  const name = operation()
  const span = tracer.startSpan(name, clientSpan(system, name))
  try {
    return work()
  } catch (error) {
    fail(span, typeOf(error))
    throw error
  } finally {
    span.end()
  }
}

function clientSpan(system: string, operation: string) {
  const attributes = { 'db.system.name': system, 'db.query.summary': operation }
  return { kind: SpanKind.CLIENT, attributes }
}

/** A wait that another request can end. */
export interface TracedWait {
  end(): void
  /** Ends the wait, and runs work in a sibling span. */
  advance<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** Begins a wait, as a span below the active span, if there is one. */
export function beginWait(name: string): TracedWait {
  if (!isTraced()) return { end() {}, advance: (_, work) => work() }
  const parent = context.active()
  const span = tracer.startSpan(name, {}, parent)
  return {
    end: () => span.end(),
    advance(next, work) {
      span.end()
      return within(tracer.startSpan(next, {}, parent), parent, work)
    },
  }
}

/** The ids of the active span, for log lines. Empty outside of a trace. */
export function traceIds(): { trace_id?: string; span_id?: string } {
  const active = trace.getActiveSpan()?.spanContext()
  return active ? { trace_id: active.traceId, span_id: active.spanId } : {}
}

/** Whether a span is active. Without an SDK, no span is active, so a call costs only this check. */
export function isTraced(): boolean {
  return trace.getActiveSpan() !== undefined
}

async function within<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(parent, span), work)
  } catch (error) {
    fail(span, typeOf(error))
    throw error
  } finally {
    span.end()
  }
}

/** The code or name of an error. The message is not used, because it may contain a user's value. */
function typeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  return (
    ([code, name].find(
      (text) => typeof text === 'string' && /^[\w.]{1,60}$/.test(text),
    ) as string) ?? 'Error'
  )
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}
