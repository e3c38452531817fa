import type { SessionRecord } from '@latchkey/core'

/** A record that lives for some seconds. */
export function record(data: Record<string, unknown> = {}, seconds = 600): SessionRecord {
  return { data, expiresAt: Date.now() / 1000 + seconds }
}
