import { ResponseError } from './errors.ts'
import type { Json, Send } from './request.ts'

/** The part of a list to read. */
export interface ListOptions {
  /** The number of objects per request. Default: the server's default, 100. */
  limit?: number | undefined
  /** The id of an object. The list begins with the next object. */
  after?: string | undefined
}

/** One page of a list. */
export interface Page<T> {
  /** The number of objects in the whole list. */
  total: number
  /** The largest number of objects in a page. */
  limit: number
  data: T[]
  /** The query of the next page, from the `Link` header; `undefined` without such a link. */
  next: URLSearchParams | undefined
}

/** Reads one page of the collection at `path`. */
export async function readPage<T>(
  send: Send,
  path: string,
  query: URLSearchParams,
  restore: (item: Json) => T,
  signal?: AbortSignal,
): Promise<Page<T>> {
  const target = query.size > 0 ? `${path}?${query}` : path
  const { body, link } = await send({ method: 'GET', path: target, isRepeatable: true, signal })
  const data = body.data ?? []
  if (!Array.isArray(data)) {
    throw new ResponseError('LATCHKEY_RESPONSE_INVALID', `GET ${path} was not answered with a List`)
  }
  const number = (value: unknown) => (typeof value === 'number' ? value : 0)
  return {
    total: number(body.total),
    limit: number(body.limit),
    data: data.map((item: Json) => restore(item)),
    next: nextQuery(link),
  }
}

/**
 * Reads a collection to its end, one page at a time. The `Link` header leads to the next page.
 * Without that header, the next request asks for the objects `after` the last one, until `total`
 * objects have been read.
 *
 * @throws {@link ResponseError} `LATCHKEY_LIST_INCOMPLETE` if the server has more objects, but
 *   sends the same page again. The objects read so far are yielded first.
 */
export async function* readList<T extends { id: string }>(
  send: Send,
  path: string,
  options: ListOptions,
  restore: (item: Json) => T,
): AsyncGenerator<T, void, undefined> {
  let page = await readPage(send, path, queryOf(options), restore)
  let seen = 0
  for (;;) {
    yield* page.data
    seen += page.data.length
    const first = page.data[0]
    const last = page.data.at(-1)
    const isLinked = page.next !== undefined
    // `total` also counts the objects before `options.after`, which `seen` does not. With that
    // option, a page shorter than the limit is the last one.
    const isShort = options.after !== undefined && page.data.length < page.limit
    const hasAll = seen >= page.total || isShort
    if (!first || !last || (!isLinked && hasAll)) return

    const next = page.next ?? queryOf({ ...options, after: last.id })
    const following = await readPage(send, path, next, restore)
    if (following.data[0]?.id === first.id) throw incomplete(path, seen, page.total)
    page = following
  }
}

function queryOf({ limit, after }: ListOptions): URLSearchParams {
  const query = new URLSearchParams()
  if (limit !== undefined) query.set('limit', String(limit))
  if (after !== undefined) query.set('after', after)
  return query
}

/**
 * The query of the `rel="next"` link. The host and path of the link are ignored, because the API
 * key must not be sent to another server.
 */
function nextQuery(link: string | undefined): URLSearchParams | undefined {
  for (const [, target = '', parameters = ''] of (link ?? '').matchAll(/<([^>]*)>([^,]*)/g)) {
    if (/;\s*rel="?next"?\s*(;|$)/i.test(parameters)) {
      return URL.parse(target, 'http://next')?.searchParams
    }
  }
  return undefined
}

function incomplete(path: string, seen: number, total: number): ResponseError {
  return new ResponseError(
    'LATCHKEY_LIST_INCOMPLETE',
    `GET ${path} shows ${seen} of ${total} objects, and the server answers "after" with the same ones`,
  )
}
