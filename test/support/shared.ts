import { TestRunner } from 'vitest'

/**
 * Makes something that several tests share, when the first of them asks. If it cannot be made, that test fails with the
 * reason, and the others are skipped with it: one fault, one failed test.
 *
 * @param name - What it is, for the sentence that the skipped tests show.
 */
export function shared<T>(name: string, make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return async () => {
    if (!made) {
      made = make()
      return await made
    }
    return await made.catch((error: unknown) => notTried(reasonOf(name, error)))
  }
}

/** The sentence of a test that was not tried, as something that it shares with others could not be had. */
export function reasonOf(name: string, error: unknown): string {
  const [line] = String((error as Error)?.message ?? error).split('\n')
  return `not tried: ${name} could not be had (${line})`
}

/** Skips the test that runs; outside of a test, as in a hook, throws. */
export function notTried(reason: string): never {
  const test = TestRunner.getCurrentTest()
  if (!test) throw new Error(reason)
  return test.context.skip(reason)
}
