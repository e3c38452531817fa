/** A value, or a promise of it. A value that is known already is returned without waiting. */
export type MaybePromise<T> = T | Promise<T>

/** Whether a value is a promise, native or not. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Uses a value: at once when it is there, and later when it is a promise. */
export function when<T, R>(
  value: MaybePromise<T>,
  use: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}

/** Several values: at once when all are there, and otherwise once they are. */
export function whenAll<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.some(isThenable) ? Promise.all(values) : (values as readonly T[])
}
