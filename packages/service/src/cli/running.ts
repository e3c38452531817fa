import { type Logger, pino } from 'pino'

/** JSON lines on standard output; values that could be a secret are cut out. */
export function createLogger(level: string): Logger {
  const secrets = ['authorization', 'cookie', 'password', 'secret', 'token', 'hash']
  return pino({
    level,
    base: null,
    redact: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
  })
}

/** The first signal that asks to stop. A second one ends the process at once. */
export function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
}
