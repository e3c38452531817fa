import type { ClaimedMessage, MessageQueue } from '../store/protocol-store.ts'
import { BrokenOff } from './broken-off.ts'
import type { WorkQueue } from './worker.ts'

/** The rules for sending the messages of a queue. */
export interface SendingOptions<C> {
  queue: Pick<MessageQueue, 'retry'>
  /** The pauses between attempts, in seconds. The last pause repeats. */
  backoffSeconds: readonly number[]
  /**
   * The age, in seconds, at which a message is given up. A message with few attempts is kept,
   * because the clock may have been ahead.
   */
  giveUpSeconds: number
  /** Unseals the content. If this throws, the message stays in the queue for another process. */
  open(message: ClaimedMessage): C
  /**
   * Sends a message. Resolves to a function that stores its success; rejects if the message is not
   * accepted, with {@link BrokenOff} if the service closed first.
   */
  send(message: ClaimedMessage, content: C): Promise<() => Promise<unknown>>
  /** Whether a failure is final, so that the message is given up. Default: no failure is final. */
  isFinal?(error: unknown): boolean
  /** The receiver's answer, which is stored with the message. Default: none. */
  answerIn?(error: unknown): string | undefined
  /** Logs that a message will be sent again. */
  onRetry(message: ClaimedMessage, content: C, error: unknown): void
  /** Logs and stores that a message is given up. */
  onGivenUp(message: ClaimedMessage, content: C, error: unknown): Promise<unknown>
}

/**
 * Adapts a queue of messages to a worker. `recall` allows a message to wait for the pause after its
 * attempts, and at least for the lease.
 */
export function messagesOf(
  queue: MessageQueue,
  backoffSeconds: readonly number[],
): WorkQueue<ClaimedMessage> {
  return {
    ...queue,
    recall: (leaseSeconds) =>
      queue.recall([0, ...backoffSeconds].map((wait) => Math.max(wait, leaseSeconds))),
  }
}

/**
 * Makes the `attempt` of a worker. It sends a message once. After a failure, the message is retried
 * or given up. An attempt that was broken off changes nothing.
 */
export function sending<C>(
  options: SendingOptions<C>,
): (message: ClaimedMessage) => Promise<number | undefined> {
  const { queue, backoffSeconds, giveUpSeconds, send, isFinal, answerIn } = options
  return async (message) => {
    const content = options.open(message)
    let store: () => Promise<unknown>
    try {
      store = await send(message, content)
    } catch (error) {
      if (error instanceof BrokenOff) return undefined
      const isOld = message.age > giveUpSeconds && message.attempts >= backoffSeconds.length
      if (isFinal?.(error) || isOld) {
        await options.onGivenUp(message, content, error)
        return undefined
      }
      options.onRetry(message, content, error)
      const last = backoffSeconds.length - 1
      const wait = backoffSeconds[Math.min(message.attempts, last)] as number
      await queue.retry(message, wait, answerIn?.(error))
      return wait
    }
    await store()
    return undefined
  }
}
