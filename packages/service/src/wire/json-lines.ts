import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/**
 * A part of a list without a total. `next` is the `after` of the next part; `undefined` in the last
 * part.
 */
export interface Part<T extends object = object> {
  readonly items: readonly T[]
  readonly next: string | undefined
}

/** A format for the objects of a list, which are written part by part. */
export interface Lines {
  readonly mediaType: string
  /** The parameters of the media type in `content-type`, such as `charset=utf-8`. */
  readonly parameters: readonly string[]
  /** The text before the first part. */
  readonly head: string
  textOf(items: readonly object[]): string
}

/** The format with a line of JSON for each object. */
export const jsonLines: Lines = {
  mediaType: 'application/x-ndjson',
  parameters: [],
  head: '',
  textOf: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
}

/**
 * Answers with a list, from `after` to its end, as fast as the client reads. If a later part cannot
 * be read, the connection is closed, so that the client does not take the parts for the whole list.
 *
 * @param read - Reads the part after a position.
 * @throws the error of `read`. Nothing was sent if the first part cannot be read.
 */
export async function sendLines(
  res: ServerResponse,
  read: (after: string | undefined) => Promise<Part>,
  after: string | undefined,
  lines: Lines = jsonLines,
): Promise<void> {
  let part = await read(after)
  res.setHeader('content-type', [lines.mediaType, ...lines.parameters].join('; '))
  res.write(lines.head)
  try {
    for (;;) {
      const text = lines.textOf(part.items)
      if (!res.write(text)) await drained(res)
      if (part.next === undefined || res.destroyed) break
      part = await read(part.next)
    }
    res.end()
  } catch (error) {
    res.destroy()
    throw error
  }
}

/**
 * Waits until the client has read the text, or has disconnected. Removes both listeners, because
 * every call adds two.
 */
async function drained(res: ServerResponse): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })])
  } finally {
    waiting.abort()
  }
}
