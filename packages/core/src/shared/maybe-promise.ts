/** A value, or a promise of it. A known value is returned without a promise. */
export type MaybePromise<T> = T | Promise<T>

/** Whether a value is a promise, native or not. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Calls `use` with a value: immediately, or later if it is a promise. */
export function when<T, R>(
  value: MaybePromise<T>,
  use: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}

/** Resolves several values: immediately if none is a promise. */
export function whenAll<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.some(isThenable) ? Promise.all(values) : (values as readonly T[])
}
