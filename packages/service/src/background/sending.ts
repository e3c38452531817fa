import type { ClaimedMessage, MessageQueue } from '../store/protocol-store.ts'
import type { WorkQueue } from './worker.ts'

/** How messages are sent, and how often. */
export interface SendingOptions<C> {
  queue: Pick<MessageQueue, 'retry'>
  /** Waits before the attempts after the first; the last one repeats. */
  backoffSeconds: readonly number[]
  /** The age at which a message is given up, unless it had few attempts: a clock may have gone ahead. */
  giveUpSeconds: number
  /** Unseals the content. A message that cannot be read here stays for another process. */
  open(message: ClaimedMessage): C
  /** Sends a message; rejects when it is not accepted. Answers with how to store that it was sent. */
  send(message: ClaimedMessage, content: C): Promise<() => Promise<unknown>>
  /** Whether a failure is final. Default: none is. */
  isFinal?(error: unknown): boolean
  /** The answer of the other side, to be kept. Default: none. */
  answerIn?(error: unknown): string | undefined
  /** Logs that a message will be sent again. */
  onRetry(message: ClaimedMessage, content: C, error: unknown): void
  /** Logs and stores that a message is given up. */
  onGivenUp(message: ClaimedMessage, content: C, error: unknown): Promise<unknown>
}

/** The queue of messages as a worker uses it: a message waits as long as its attempts say, or for the lease. */
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

/** Sends messages until they are accepted or given up, as the attempt of a worker. */
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
      const isOld = message.age > giveUpSeconds && message.attempts >= backoffSeconds.length
      if (isFinal?.(error) || isOld) {
        await options.onGivenUp(message, content, error)
        return undefined
      }
      options.onRetry(message, content, error)
      const last = backoffSeconds.length - 1
      const wait = backoffSeconds[Math.min(message.attempts, last)] as number
      await queue.retry(message.id, wait, answerIn?.(error))
      return wait
    }
    await store()
    return undefined
  }
}
