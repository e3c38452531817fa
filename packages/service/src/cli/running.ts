import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { traceIds } from '../telemetry/tracing.ts'

/**
 * Makes a logger of JSON lines, on standard output by default. Values with a name such as
 * `password` or `token` are redacted.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const secrets = ['authorization', 'cookie', 'password', 'secret', 'token', 'hash']
  const options: LoggerOptions = {
    level,
    base: null,
    // Adds the ids of the request's trace, if the operator has loaded an OpenTelemetry SDK.
    mixin: traceIds,
    redact: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
  }
  return destination ? pino(options, destination) : pino(options)
}
