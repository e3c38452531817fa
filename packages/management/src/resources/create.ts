import type { Json } from '../request.ts'

/** How a create is made safe to repeat. */
export interface CreateOptions<T> {
  /**
   * Looks for what an attempt may have created whose answer was lost. With it, a create is repeated
   * after a lost connection when nothing is found; without it, the error of the connection is thrown
   * and it is for the caller to find out.
   */
  find?: () => Promise<T | undefined>
}

/** The recovery of a request that creates. */
export function recovery<T extends object>(
  options: CreateOptions<T> | undefined,
): (() => Promise<Json | undefined>) | undefined {
  const find = options?.find
  return find && (async () => (await find()) as Json | undefined)
}
