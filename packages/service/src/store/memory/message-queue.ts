import type { MessageQueue, QueuedMessage } from '../protocol-store.ts'
import type { Micros } from '../records.ts'

/** A queue of outgoing messages over a map, in the order of insertion. */
export function createMemoryQueue(
  mail: Map<string, QueuedMessage>,
  now: () => Micros,
): MessageQueue {
  return {
    async add(message) {
      mail.set(message.id, { ...message })
    },

    async claim(limit, until) {
      const due = [...mail.values()].filter((message) => message.dueAt <= now()).slice(0, limit)
      for (const message of due) message.dueAt = until
      return due.map((message) => ({ ...message }))
    },

    async renew(id, until) {
      const message = mail.get(id)
      if (message) message.dueAt = until
    },

    async retry(id, dueAt) {
      const message = mail.get(id)
      if (!message) return
      message.dueAt = dueAt
      message.attempts++
    },

    async remove(id) {
      mail.delete(id)
    },

    async reseal(change) {
      for (const message of mail.values()) {
        message.sealed = change(message.id, message.sealed) ?? message.sealed
      }
    },

    async list(tenantId, limit) {
      const own = [...mail.values()].filter((message) => message.tenantId === tenantId)
      return own
        .reverse()
        .slice(0, limit)
        .map((message) => ({ ...message }))
    },
  }
}
