import type { Json } from '../request.ts'

/** Options of a create. */
export interface CreateOptions<T> {
  /**
   * Looks for an object that an earlier attempt may have created, although its response was lost.
   * If it finds none, the create is repeated. Without this function, the error of the connection is
   * thrown.
   */
  find?: () => Promise<T | undefined>
}

/** Finds what a create made whose response was lost; see {@link CreateOptions.find}. */
export function recovery<T extends object>(
  options: CreateOptions<T> | undefined,
): (() => Promise<Json | undefined>) | undefined {
  const find = options?.find
  return find && (async () => (await find()) as Json | undefined)
}
