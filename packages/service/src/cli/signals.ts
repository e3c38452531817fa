import { constants } from 'node:os'

const names = ['SIGINT', 'SIGTERM'] as const

/** Ends the process at once, with the status 128 plus the number of the signal. */
function exitAtOnce(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal])
}

/**
 * Ends the process at SIGINT or SIGTERM if it is the first process of a container. The kernel
 * ignores these signals there, unless the process handles them. {@link nextSignal} replaces this.
 */
export function endAtSignals(): void {
  if (process.pid !== 1) return
  for (const name of names) process.on(name, exitAtOnce)
}

/**
 * Resolves at the first SIGINT or SIGTERM. A second signal of either kind ends the process at once,
 * with the status 128 plus the number of the signal.
 */
export function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    let first: NodeJS.Signals | undefined
    for (const name of names) {
      process.off(name, exitAtOnce)
      process.on(name, () => {
        if (first === undefined) {
          first = name
          return resolve(name)
        }
        console.error(`${name} while closing: ended at once.`)
        exitAtOnce(name)
      })
    }
  })
}
