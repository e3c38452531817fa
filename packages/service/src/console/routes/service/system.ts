import { listDeletions } from '../../../domain/tenants/deletions.ts'
import { isShared } from '../../../domain/writes/context.ts'
import type { MessageQueue } from '../../../store/protocol-store.ts'
import { type Call, type ConsoleRoute, type Result, servicePage } from '../../calls/call.ts'
import { message, type Sentence, type Text } from '../../texts/index.ts'

const PATH = '/console/system'

/** The maximum number of messages of a queue that are counted. */
const MAX_COUNTED = 1_000

export const systemRoutes: readonly ConsoleRoute[] = [servicePage(PATH, show)]

async function show({ scope, system }: Call): Promise<Result> {
  const { context } = scope
  const [deletions, mail, notices, fault] = await Promise.all([
    listDeletions(context),
    backlog(system.queues.mail),
    backlog(system.queues.notices),
    system.check().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    ),
  ])
  return {
    kind: 'page',
    name: 'system',
    title: 'System',
    data: {
      ...{ system, fault, deletions },
      node: process.versions.node,
      startedAt: system.startedAt * 1e6,
      isShared: isShared(context),
      queues: [
        { name: 'Mail' satisfies Sentence, ...mail },
        { name: 'Notices to applications that a session ended' satisfies Sentence, ...notices },
      ],
    },
    commands: [
      'latchkey-service --version',
      'latchkey-service doctor',
      'latchkey-service tenant deletions',
    ],
  }
}

/**
 * The number of messages that wait in a queue, the number of those that failed at least once, and
 * the time of the oldest.
 */
async function backlog(queue: MessageQueue) {
  const [waiting, undelivered] = await Promise.all([
    queue.waiting(MAX_COUNTED),
    queue.undelivered(undefined, undefined),
  ])
  const failing = undelivered.reduce((sum, { count }) => sum + count, 0)
  return {
    waiting: counted(waiting.length, waiting.length === MAX_COUNTED),
    failing:
      failing > 0
        ? counted(
            failing,
            undelivered.some(({ isMore }) => isMore),
          )
        : undefined,
    oldestAt: waiting.length === 0 ? undefined : Math.min(...waiting.map((one) => one.createdAt)),
  }
}

function counted(count: number, isMore: boolean): Text {
  return message(isMore ? '{count} or more' : '{count}', { count })
}
