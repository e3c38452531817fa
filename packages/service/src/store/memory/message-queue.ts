import { type MessageQueue, NEVER, type QueuedMessage } from '../protocol-store.ts'
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

    async retry(id, dueAt, answer) {
      const message = mail.get(id)
      if (!message) return
      message.dueAt = dueAt
      message.attempts++
      message.answer = answer
    },

    async end(id, outcome, endedAt, answer) {
      const message = mail.get(id)
      if (message) Object.assign(message, { outcome, endedAt, answer, sealed: '', dueAt: NEVER })
    },

    async remove(id) {
      mail.delete(id)
    },

    async reseal(change) {
      for (const message of mail.values()) {
        if (message.outcome !== undefined) continue
        message.sealed = change(message.id, message.sealed) ?? message.sealed
      }
    },

    async list(tenantId, limit) {
      const own = [...mail.values()].filter(
        (message) => message.tenantId === tenantId && message.outcome === undefined,
      )
      return own
        .reverse()
        .slice(0, limit)
        .map((message) => ({ ...message }))
    },

    async waiting(limit) {
      return [...mail.values()]
        .filter(({ dueAt }) => dueAt < NEVER)
        .sort((a, b) => a.dueAt - b.dueAt)
        .slice(0, limit)
        .map((message) => ({ ...message, sealed: '' }))
    },

    async find(tenantId, { userId, after, limit }) {
      return [...mail.values()]
        .filter((one) => one.tenantId === tenantId && one.kind !== undefined)
        .filter((one) => userId === undefined || one.userId === userId)
        .filter((one) => after === undefined || compare(one, after) < 0)
        .sort((a, b) => compare(b, a))
        .slice(0, limit)
        .map((message) => ({ ...message }))
    },

    async get(tenantId, id) {
      const message = mail.get(id)
      return message?.tenantId === tenantId ? { ...message } : undefined
    },
  }
}

type Place = Pick<QueuedMessage, 'createdAt' | 'id'>

function compare(a: Place, b: Place): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id))
}
