import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** A part of a list that is not counted; `next` is the `after` of the part that follows. */
export interface Part<T extends object = object> {
  readonly items: readonly T[]
  readonly next: string | undefined
}

/** A way to write the objects of a list as text, part by part. */
export interface Lines {
  readonly mediaType: string
  /** The parameters of the media type in `content-type`, such as `charset=utf-8`. */
  readonly parameters: readonly string[]
  /** The text above the first part. */
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
 * Answers with all that a list has, a line for each object unless other lines are given, as fast as the client reads. An answer that
 * breaks off in the middle ends the connection, so that it is not taken for all.
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

/** Waits until the client has read, or has gone. The listener that was not called is removed: there is one for each wait. */
async function drained(res: ServerResponse): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })])
  } finally {
    waiting.abort()
  }
}
