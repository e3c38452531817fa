import { CODES, type LatchkeyErrorCode, type WarningCode } from '../errors/codes.ts'
import {
  AccessError,
  DeniedError,
  type LatchkeyError,
  RefreshError,
  RequestError,
} from '../errors/errors.ts'

/**
 * Receives the log lines of the kit: pino, bunyan, winston, `console`, or anything with these
 * methods.
 *
 * A logger that also has a method `log`, as `console` and winston have, is called with one line of
 * text. Any other logger is called as pino is, with the facts and the message:
 * `warn({ code, remedy, correlationId }, message)`.
 */
export interface Logger {
  info(...line: never[]): unknown
  warn(...line: never[]): unknown
  error(...line: never[]): unknown
}

/** The facts of a log line, besides its message. */
interface Facts {
  readonly code: LatchkeyErrorCode | WarningCode
  readonly remedy?: string
  readonly correlationId?: string
  /** The message of the underlying error. */
  readonly cause?: string
  /** The number of lines with this code that were left out since the last line. */
  readonly leftOut?: number
  /** The ids of the span in which the error was thrown, if the option `telemetry` is set. */
  readonly trace_id?: string
  readonly span_id?: string
}

type Level = 'info' | 'warn' | 'error'

/** Writes the log lines of one instance. An error of the logger never fails a request. */
export interface Log {
  /**
   * Logs an error that is answered, except for visitors who have to log in and malformed requests.
   */
  failed(error: LatchkeyError): void
  /** Logs a failure that the application does not notice, or whose reason it does not get. */
  noticed(code: LatchkeyErrorCode, message: string): void
  /** Logs that something works again, once after each failure with this code. */
  recovered(code: LatchkeyErrorCode, message: string): void
  /**
   * Logs a warning about the configuration. The fact that sessions are in cookies has the level
   * `info`.
   */
  warned(code: WarningCode, message: string): void
}

const WINDOW_SECONDS = 60
/**
 * The most lines with the same code in one window. For an outage, it is {@link OUTAGE_LINES},
 * because more lines would say nothing new.
 */
const LINES = 10
const OUTAGE_LINES = 1
const MAX_LENGTH = 500

/** The lines with one code in a minute. */
interface Window {
  readonly began: number
  lines: number
  leftOut: number
  recoveries: number
}

/**
 * Makes a log. The number of lines is limited for each code, so that neither an outage nor an
 * attack floods the log.
 *
 * @param now - Returns the time in whole seconds.
 * @param idsOf - Returns the ids of the span in which an error was thrown, or of the active span.
 */
export function createLog(
  logger: Logger | false,
  now: () => number,
  idsOf: (error?: object) => Pick<Facts, 'trace_id' | 'span_id'> | undefined = () => undefined,
): Log {
  const windows = new Map<string, Window>()
  const outages = new Set<LatchkeyErrorCode>()
  const seen = new WeakSet<LatchkeyError>()

  /**
   * Counts a line. Returns `undefined` if the limit is reached, otherwise the number of lines that
   * were left out before.
   */
  const admit = (code: string, most: number): number | undefined => {
    const time = now()
    const known = windows.get(code)
    if (known && time - known.began < WINDOW_SECONDS) {
      if (known.lines < most) known.lines++
      else known.leftOut++
      return known.leftOut > 0 ? undefined : 0
    }
    windows.set(code, { began: time, lines: 1, leftOut: 0, recoveries: 0 })
    return known?.leftOut ?? 0
  }
  const write = (level: Level, facts: Facts, message: string, error?: LatchkeyError): void => {
    if (logger !== false) writeLine(logger, level, { ...facts, ...idsOf(error) }, message)
  }
  const limited = (
    level: Level,
    most: number,
    facts: Facts,
    message: string,
    error?: LatchkeyError,
  ): void => {
    const leftOut = admit(facts.code, most)
    if (leftOut === undefined) return
    write(level, leftOut > 0 ? { ...facts, leftOut } : facts, message, error)
  }

  return {
    failed(error) {
      if (seen.has(error) || isOrdinary(error)) return
      seen.add(error)
      const { code, correlationId, message, remedy } = error
      if (error.retryable) outages.add(code)
      const facts: Facts = { code, remedy, correlationId, ...causeOf(error) }
      const level = levelOf(error)
      limited(level, error.retryable ? OUTAGE_LINES : LINES, facts, message, error)
    },
    noticed(code, message) {
      outages.add(code)
      limited('error', OUTAGE_LINES, { code, remedy: CODES[code].remedy }, message)
    },
    recovered(code, message) {
      if (!outages.has(code)) return
      const window = windows.get(code)
      const isOver = !window || now() - window.began >= WINDOW_SECONDS
      // If it fails again and again, it counts as failed until the next window.
      if (!isOver && window.recoveries >= LINES) return
      outages.delete(code)
      const leftOut = window?.leftOut ?? 0
      if (window) {
        // The next failure has its line, too. Otherwise the last line would say that it works.
        window.lines = 0
        window.leftOut = 0
        window.recoveries++
      }
      write('info', leftOut > 0 ? { code, leftOut } : { code }, message)
    },
    warned(code, message) {
      const level = code === 'LATCHKEY_SESSIONS_IN_COOKIES' ? 'info' : 'warn'
      limited(level, LINES, { code, remedy: CODES[code].remedy }, message)
    },
  }
}

/** Whether an error is an everyday response of a working application, which needs no log line. */
function isOrdinary(error: LatchkeyError): boolean {
  if (error.code === 'LATCHKEY_HOST_UNKNOWN') return false
  // This error is logged, because the developer of the refused program would otherwise see no
  // reason.
  if (error instanceof AccessError && error.failed === 'accept') return false
  return (
    error.code === 'LATCHKEY_LOGIN_REQUIRED' ||
    error.code === 'LATCHKEY_STEP_UP_REQUIRED' ||
    (error.status < 500 && (error instanceof RequestError || error instanceof RefreshError))
  )
}

/** Codes of everyday refusals that are logged, because users ask the operator for the reason. */
const ANSWERS_TO_WHY: ReadonlySet<LatchkeyErrorCode> = new Set([
  'LATCHKEY_FORBIDDEN',
  'LATCHKEY_BEARER_INVALID',
  'LATCHKEY_SCOPE_MISSING',
])

function levelOf({ code, status }: LatchkeyError): Level {
  if (code === 'LATCHKEY_LOGIN_REQUIRED' || ANSWERS_TO_WHY.has(code)) return 'info'
  return status >= 500 ? 'error' : 'warn'
}

function causeOf(error: LatchkeyError): Pick<Facts, 'cause'> {
  if (error instanceof DeniedError) return { cause: printable(error.reason) }
  if (!(error.cause instanceof Error)) return {}
  const cause = printable(error.cause.message)
  return printable(error.message).includes(cause) ? {} : { cause }
}

function writeLine(logger: Logger, level: Level, facts: Facts, message: string): void {
  const said = printable(message)
  const takesText = typeof (logger as { log?: unknown }).log === 'function'
  const call = logger[level].bind(logger) as (...line: unknown[]) => unknown
  try {
    if (takesText) call(lineOf(facts, said))
    else call(facts, said)
  } catch {
    // A failure of the logger must not make a login fail.
  }
}

function lineOf(facts: Facts, message: string): string {
  const { code, remedy, correlationId, cause, leftOut, trace_id } = facts
  const parts = [`[latchkey] ${code}: ${message}`]
  if (cause) parts.push(`Cause: ${cause.replace(/[.\s]*$/, '.')}`)
  if (remedy) parts.push(`What to do: ${remedy}`)
  if (leftOut) parts.push(`(${leftOut} more like it since the last line)`)
  if (correlationId) parts.push(`(correlation id ${correlationId})`)
  if (trace_id) parts.push(`(trace id ${trace_id})`)
  return parts.join(' ')
}

/** Removes control characters, which a terminal would obey, and passwords in URLs. */
function printable(text: string): string {
  return text
    .replace(/\/\/[^/@\s]*@/g, '//')
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .slice(0, MAX_LENGTH)
}
