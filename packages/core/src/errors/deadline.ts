import type { SessionLock, SessionStore } from '../session/stores/session-store.ts'
import { afterLoopTime } from '../shared/deadline.ts'
import { isThenable, type MaybePromise, when } from '../shared/maybe-promise.ts'
import { LatchkeyError } from './errors.ts'

/**
 * Waits for a value from a function or store of the application, so that no request hangs because
 * of it. A value that is no promise is returned at once.
 *
 * @param name - The name of the option, for the error.
 * @throws {@link LatchkeyError} with `LATCHKEY_ANSWER_LATE` when the value does not arrive within
 *   `answerSeconds`.
 */
export function inTime<T>(
  name: string,
  answer: MaybePromise<T>,
  answerSeconds: number,
): MaybePromise<T> {
  if (!isThenable(answer)) return answer
  return new Promise((resolve, reject) => {
    const late = (): void => {
      const message = `"${name}" did not answer within ${answerSeconds} s ("answerSeconds").`
      reject(new LatchkeyError('LATCHKEY_ANSWER_LATE', message))
    }
    const wait = afterLoopTime(answerSeconds * 1000, late)
    answer.then(
      (value) => {
        wait.stop()
        resolve(value)
      },
      (error: unknown) => {
        wait.stop()
        reject(error)
      },
    )
  })
}

type AnyFunction = (...given: never[]) => unknown

/** Wraps a function of the application, so that its result has a deadline. */
export function answering<F extends AnyFunction>(name: string, run: F, answerSeconds: number): F {
  const bounded = (...given: never[]): unknown => inTime(name, run(...given), answerSeconds)
  return bounded as F
}

/**
 * A copy of an object with a deadline for each of its functions. Other members stay as they are.
 */
export function answeringAll<T extends object>(
  name: string,
  target: T,
  answerSeconds: number,
  members: readonly (keyof T & string)[] = Object.keys(target) as (keyof T & string)[],
): T {
  const bounded: Partial<T> = {}
  for (const member of members) {
    const value = target[member]
    if (value === undefined) continue
    bounded[member] =
      typeof value === 'function'
        ? (answering(`${name}.${member}`, value.bind(target), answerSeconds) as typeof value)
        : value
  }
  return bounded as T
}

function answeringLock({ acquire }: SessionLock, name: string, answerSeconds: number): SessionLock {
  return {
    acquire: (key, seconds) =>
      when(acquire(key, seconds), (release) => release && answering(name, release, answerSeconds)),
  }
}

const INDEX_METHODS = ['add', 'find', 'remove', 'begin', 'end'] as const

/** Runs a call of a store. `operation` is the name of the method, such as `index.add`. */
type Observe = <T>(operation: string, ask: () => MaybePromise<T>) => MaybePromise<T>

/**
 * A copy of an object whose functions are run by `observe`; the object itself without `observe`.
 */
function observed<T extends object>(prefix: string, target: T, observe: Observe | undefined): T {
  if (!observe) return target
  const functions = Object.entries(target).map(([name, run]: [string, AnyFunction]) => {
    const operation = prefix + name
    return [name, (...given: never[]) => observe(operation, () => run(...given))]
  })
  return Object.fromEntries(functions) as T
}

/**
 * A session store with a deadline for each of its calls.
 *
 * @param settings.name - The option that the store comes from. Default `session.store`.
 * @param settings.observe - Runs each call, for example to measure it. Default: calls run directly.
 */
export function answeringStore(
  store: SessionStore,
  answerSeconds: number,
  {
    name = 'session.store',
    observe,
  }: { readonly name?: string; readonly observe?: Observe | undefined },
): SessionStore {
  const { index, once, lock, touchSeconds, isInProcess } = store
  const part = <P extends object>(
    of: string,
    value: P,
    members: readonly (keyof P & string)[],
  ): P => observed(`${of}.`, answeringAll(`${name}.${of}`, value, answerSeconds, members), observe)
  const methods = ['get', 'set', 'update', 'touch', 'destroy'] as const
  return {
    ...observed('', answeringAll(name, store, answerSeconds, methods), observe),
    ...(store.useSecrets && { useSecrets: store.useSecrets.bind(store) }),
    ...(store.health && { health: store.health.bind(store) }),
    ...(touchSeconds !== undefined && { touchSeconds }),
    ...(isInProcess !== undefined && { isInProcess }),
    ...(index && { index: part('index', index, INDEX_METHODS) }),
    ...(once && { once: part('once', once, ['consume', 'isConsumed']) }),
    ...(lock && {
      lock: answeringLock(part('lock', lock, ['acquire']), `${name}.lock.release`, answerSeconds),
    }),
  }
}
