import { type Page, readPage } from '../list.ts'
import type { Json, Send } from '../request.ts'

/** Filters of a list, by the names of their query parameters. */
export type Filters = Readonly<Record<string, string | number | boolean | undefined>>

/** Yields the items of a list without a total, reading one page at a time. */
export async function* readFiltered<T>(
  send: Send,
  path: string,
  filters: Filters,
  restore: (item: Json) => T,
): AsyncGenerator<T, void, undefined> {
  let query: URLSearchParams | undefined = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) {
    if (value !== undefined) query.set(name, String(value))
  }
  while (query) {
    const page: Page<T> = await readPage(send, path, query, restore)
    yield* page.data
    query = page.next
  }
}
