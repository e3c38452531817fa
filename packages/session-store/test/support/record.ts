import type { SessionRecord } from '@latchkey/core'

/** A record that lives for some seconds. */
export function record(data: Record<string, unknown> = {}, seconds = 600): SessionRecord {
  const expires = new Date(Date.now() + seconds * 1000).toISOString()
  return { cookie: { originalMaxAge: seconds * 1000, expires }, ...data }
}
