import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Part } from './route.ts'

/** The media type of objects that are one line of JSON each. */
export const JSON_LINES = 'application/x-ndjson'

/**
 * Answers with all that a list has, a line for each object, as fast as the client reads. An answer that
 * breaks off in the middle ends the connection, so that it is not taken for all.
 */
export async function sendLines(
  res: ServerResponse,
  read: (after: string | undefined) => Promise<Part>,
  after: string | undefined,
): Promise<void> {
  let part = await read(after)
  res.setHeader('content-type', JSON_LINES)
  try {
    for (;;) {
      const text = part.items.map((item) => `${JSON.stringify(item)}\n`).join('')
      if (!res.write(text)) await Promise.race([once(res, 'drain'), once(res, 'close')])
      if (part.next === undefined || res.destroyed) break
      part = await read(part.next)
    }
    res.end()
  } catch (error) {
    res.destroy()
    throw error
  }
}
