import { setTimeout as sleep } from 'node:timers/promises'
import { inBatches } from '../background/batches.ts'
import type { Background, Worker } from '../background/index.ts'
import { type DomainContext, isShared } from '../domain/writes/context.ts'
import type { Outgoing } from '../egress/outgoing.ts'
import {
  type Attempt,
  type DueDelivery,
  LANE_AT_ONCE,
  type Lane,
  type Release,
} from '../store/deliveries.ts'
import { persistently } from '../store/persistently.ts'
import type { Webhook } from '../store/records.ts'
import { attempt, isAccepted, MAX_RETRY_AFTER_SECONDS, type WebhookAnswer } from './attempt.ts'
import { disableWebhook, secretsOf } from './rules.ts'
import { createShares } from './shares.ts'

export interface DeliveringOptions {
  domain: DomainContext
  outgoing: Outgoing
  background: Background
  logger: {
    warn(facts: object, message: string): void
    error(facts: object, message: string): void
  }
  /** Notifies operators that an endpoint was switched off. */
  onDisabled(webhook: Webhook, reason: 'gone' | 'failing'): Promise<void>
}

/** The pauses after failed attempts of an event, in seconds. Each pause varies by up to a fifth. */
const BACKOFF_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]

/**
 * The age at which an event is given up after a failed attempt, even if further pauses are left.
 */
const GIVE_UP_SECONDS = 80 * 3_600

/** The time after which an endpoint that accepts nothing is switched off. */
const SWITCH_OFF_SECONDS = 5 * 86_400

/** The maximum number of requests per second to one endpoint. */
const PER_SECOND = 50

/** The maximum number of lanes that a process holds: the endpoints to which it sends at a time. */
const MAX_LANES = 200

/** The maximum number of lanes of one claim, so that other processes get lanes. */
const LANES_AT_ONCE = 32

/** The minimum time between two claims, so that a claim finds several lanes under load. */
const CLAIM_EVERY_MS = 50

/** After this time, another process sends the deliveries of a process that has died. */
const LEASE_SECONDS = 3

/**
 * The time for which results are collected, to be stored together. If the process dies before they
 * are stored, their events are sent twice.
 */
const GATHER_MS = 10

/** The time between two checks of the queue, for a single process and for several processes. */
const POLL_MS = 5_000
const SHARED_POLL_MS = 1_000

/** Starts to send due deliveries in rounds. In each round, an endpoint gets several events. */
export function startDelivering(options: DeliveringOptions): Worker {
  const { domain, logger, background } = options
  const { deliveries } = domain.store
  const finish = inBatches(GATHER_MS, async (rounds: readonly Attempt[][]) => {
    await persistently(() => deliveries.finish(rounds.flat()))
    return []
  })
  const release = inBatches(GATHER_MS, (releases: readonly Release[]) =>
    persistently(() => deliveries.release(releases)),
  )

  async function send(lane: Lane): Promise<number | undefined> {
    const { webhook, failingSeconds } = lane
    // An endpoint that accepted nothing lately first gets only one event.
    const given = lane.due.slice(0, failingSeconds === undefined ? LANE_AT_ONCE : 1)
    if (given.length === 0) return release({ lane, pauseSeconds: 0, isFailing: undefined })
    const started = performance.now()
    const sender = { outgoing: options.outgoing, secrets: secretsOf(domain, webhook) }
    const tried = await Promise.all(given.map((one) => attempt(sender, webhook, one)))
    const due = given.filter((_, i) => tried[i] !== undefined)
    const answers = tried.filter((answer) => answer !== undefined)
    const attempts = due.map((one, i) => attemptOf(one, answers[i] as WebhookAnswer))
    await finish(attempts)
    log(webhook, due, attempts)
    // The service closes. Another process sends the other events.
    if (due.length < given.length) return release({ lane, pauseSeconds: 0, isFailing: undefined })
    if (answers.some(isAccepted)) {
      await sleep(Math.max(0, started + (due.length / PER_SECOND) * 1_000 - performance.now()))
      return release({ lane, pauseSeconds: 0, isFailing: false })
    }
    const isGone = answers.some(({ status }) => status === 410)
    const isLong = (failingSeconds ?? 0) >= SWITCH_OFF_SECONDS
    if (isGone || isLong) await switchOff(webhook, isGone ? 'gone' : 'failing')
    const asked = answers.flatMap(({ retryAfter }) => retryAfter ?? [])
    const pause = Math.min(60, Math.max(1, (failingSeconds ?? 0) / 10))
    const pauseSeconds = asked.length > 0 ? Math.max(...asked) : pause
    return release({ lane, pauseSeconds, isFailing: true })
  }

  function log(
    { tenantId, id: webhook }: Webhook,
    due: readonly DueDelivery[],
    attempts: readonly Attempt[],
  ): void {
    for (const [i, { outcome, status, reason }] of attempts.entries()) {
      if (outcome === 'delivered') continue
      const facts = { tenantId, webhook, event: due[i]?.eventId, status, reason }
      if (outcome === 'given_up') logger.error(facts, 'An event was given up.')
      else logger.warn(facts, 'An endpoint did not accept an event; it will be sent again.')
    }
  }

  async function switchOff(webhook: Webhook, reason: 'gone' | 'failing'): Promise<void> {
    const { id, tenantId } = webhook
    const scope = { context: domain, actor: { name: 'service' }, tenantId }
    if (!(await disableWebhook(scope, id, reason))) return
    logger.error({ tenantId, webhook: id, reason }, 'An endpoint was switched off.')
    await options.onDisabled(webhook, reason)
  }

  const shares = createShares()

  async function sendWithin(lane: Lane): Promise<number | undefined> {
    try {
      return await send(lane)
    } finally {
      // Without this call, the worker would not claim lanes that the limits have left out.
      if (shares.leave(lane)) worker.wake()
    }
  }

  const worker = background.work<Lane>('webhooks', {
    queue: {
      ...deliveries,
      async claim(limit, seconds) {
        const lanes = await deliveries.claim(limit, seconds, shares.limits())
        for (const lane of lanes) shares.take(lane)
        return lanes
      },
      recall: (seconds) => deliveries.recall(seconds, MAX_RETRY_AFTER_SECONDS),
    },
    leaseSeconds: LEASE_SECONDS,
    atOnce: MAX_LANES,
    claimAtOnce: LANES_AT_ONCE,
    claimEveryMs: CLAIM_EVERY_MS,
    pollMs: isShared(domain) ? SHARED_POLL_MS : POLL_MS,
    attempt: sendWithin,
  })
  worker.wake()
  return worker
}

function attemptOf(
  { id, createdAt, attempts, age }: DueDelivery,
  { millis, status, reason, ...answer }: WebhookAnswer,
): Attempt {
  const wait = BACKOFF_SECONDS[attempts]
  const isOver = wait === undefined || age > GIVE_UP_SECONDS
  const outcome = isAccepted({ status, millis } as WebhookAnswer)
    ? 'delivered'
    : isOver
      ? 'given_up'
      : undefined
  const waitSeconds = Math.max(answer.retryAfter ?? 0, (wait ?? 0) * (0.8 + Math.random() * 0.4))
  return { id, createdAt, status, reason, millis, outcome, waitSeconds }
}
