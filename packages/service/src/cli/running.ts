import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { traceIds } from '../telemetry/tracing.ts'

/** JSON lines on standard output; values that could be a secret are cut out. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const secrets = ['authorization', 'cookie', 'password', 'secret', 'token', 'hash']
  const options: LoggerOptions = {
    level,
    base: null,
    // Of the trace that the request belongs to, if the operator has loaded an SDK.
    mixin: traceIds,
    redact: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
  }
  return destination ? pino(options, destination) : pino(options)
}

/** The first signal that asks to stop. A second one ends the process at once. */
export function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
}
