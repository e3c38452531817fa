/** A value that is there already, or will be: what need not wait costs no turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>

/** Uses a value: at once when it is there, and later when it is a promise. */
export function when<T, R>(
  value: MaybePromise<T>,
  use: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
