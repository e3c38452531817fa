import { ConflictError, NotFoundError } from '../errors.ts'
import { type ListOptions, type Page, readList, readPage } from '../list.ts'
import type { Json, Send } from '../request.ts'
import { forUpdate, restoreZeros, type Zeros } from '../zero-values.ts'

/**
 * A change of an object: an object with the members to replace, or a function that changes the copy
 * it receives, or returns a new object.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that changes its argument returns nothing
export type Change<T> = Partial<T> | ((object: T) => T | void)

/** A resource that can be read and replaced. */
export interface Readable<T> {
  /** Lists all objects, in the order of creation. Pages are read as you iterate. */
  list(options?: ListOptions): AsyncGenerator<T, void, undefined>
  /** Reads one page. */
  page(options?: ListOptions): Promise<Page<T>>
  get(id: string): Promise<T>
  /**
   * Reads the object, changes it and writes the complete object back. If another client has changed
   * the object meanwhile (`conflict`), the update starts over. So `change` is called up to three
   * times.
   */
  update(id: string, change: Change<T>): Promise<T>
}

/** A resource that can also be deleted. */
export interface Deletable<T> {
  /**
   * Deletes the object. Resolves to the deleted object, or to `undefined` if an earlier attempt
   * deleted the object and its response was lost.
   */
  delete(id: string): Promise<T | undefined>
}

export interface Access<T> extends Readable<T>, Deletable<T> {
  path: string
  restore(object: Json): T
}

/** The operations that all resources share, on the collection at `path`. */
export function createAccess<T extends { id: string }>(
  send: Send,
  path: string,
  zeros: Zeros,
): Access<T> {
  const restore = (object: Json): T => restoreZeros<T>(object, zeros)
  const one = (id: string): string => `${path}/${segment(id)}`

  async function read(id: string): Promise<Json> {
    return (await send({ method: 'GET', path: one(id), isRepeatable: true })).body
  }

  async function updateOnce(id: string, change: Change<T>): Promise<T> {
    const original = await read(id)
    const copy = structuredClone(restore(original))
    const changed = typeof change === 'function' ? (change(copy) ?? copy) : { ...copy, ...change }
    const body = forUpdate(changed, original)
    // The request is repeatable: sending the same complete object twice has the same result as
    // once.
    return restore((await send({ method: 'POST', path: one(id), body, isRepeatable: true })).body)
  }

  return {
    path,
    restore,
    list: (options = {}) => readList(send, path, options, restore),
    page: ({ limit, after } = {}) => {
      const query = new URLSearchParams()
      if (limit !== undefined) query.set('limit', String(limit))
      if (after !== undefined) query.set('after', after)
      return readPage(send, path, query, restore)
    },
    get: async (id) => restore(await read(id)),
    async update(id, change) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await updateOnce(id, change)
        } catch (error) {
          const isStale = error instanceof ConflictError && error.code === 'conflict'
          if (!isStale || attempt === 3) throw error
        }
      }
    },
    async delete(id) {
      let isLost = false
      try {
        const recover = async (): Promise<undefined> => {
          isLost = true
        }
        const input = { method: 'DELETE', path: one(id), isRepeatable: true, recover } as const
        return restore((await send(input)).body)
      } catch (error) {
        if (isLost && error instanceof NotFoundError) return undefined
        throw error
      }
    },
  }
}

/**
 * An id, percent-encoded as one segment of a path.
 *
 * @throws TypeError for an empty id, `.` and `..`.
 */
export function segment(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new TypeError(`"${id}" is not an id.`)
  return encodeURIComponent(id)
}
