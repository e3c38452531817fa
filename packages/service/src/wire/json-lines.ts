import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** A part of an uncounted list; `next` is the `after` of the next part. */
export interface Part<T extends object = object> {
  readonly items: readonly T[]
  readonly next: string | undefined
}

/** A way to write the objects of a list as text, part by part. */
export interface Lines {
  readonly mediaType: string
  /** The parameters of the media type in `content-type`, such as `charset=utf-8`. */
  readonly parameters: readonly string[]
  /** The text before the first part. */
  readonly head: string
  textOf(items: readonly object[]): string
}

/** A line of JSON for each object. */
export const jsonLines: Lines = {
  mediaType: 'application/x-ndjson',
  parameters: [],
  head: '',
  textOf: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
}

/**
 * Answers with the whole list as fast as the client reads: by default, one line of JSON for each object. If it fails in
 * the middle, the connection is ended, so that the client does not take the part for the whole list.
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

/** Waits until the client has read, or has disconnected. Removes the other listener, because each wait adds two. */
async function drained(res: ServerResponse): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })])
  } finally {
    waiting.abort()
  }
}
