import type { Json } from '../request.ts'

/** The options of a `create` method. */
export interface CreateOptions<T> {
  /**
   * Looks for the object after the response to an attempt was lost. If it resolves to `undefined`,
   * the request is sent again. Without this function, `create` rejects with the connection error.
   */
  find?: () => Promise<T | undefined>
}

/** The `recover` function of a `create` request; see {@link CreateOptions.find}. */
export function recovery<T extends object>(
  options: CreateOptions<T> | undefined,
): (() => Promise<Json | undefined>) | undefined {
  const find = options?.find
  return find && (async () => (await find()) as Json | undefined)
}
