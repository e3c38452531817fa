/** A value that is there already, or will be: what need not wait costs no turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>
