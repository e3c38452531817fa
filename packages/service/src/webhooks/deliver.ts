import { setTimeout as sleep } from 'node:timers/promises'
import type { DomainContext } from '../domain/writes/context.ts'
import type { Outgoing } from '../egress/outgoing.ts'
import type { Attempt, DueDelivery, Lane } from '../store/deliveries.ts'
import { persistently } from '../store/persistently.ts'
import type { Webhook } from '../store/records.ts'
import { untraced } from '../telemetry/tracing.ts'
import { attempt, isAccepted, type WebhookAnswer } from './attempt.ts'
import { disableWebhook } from './rules.ts'

/** Sends what is due. */
export interface Delivering {
  /** Looks for due deliveries now. */
  wake(): void
  /** Resolves when every due delivery was tried. */
  idle(): Promise<void>
  /** Stops after the requests under way. */
  close(): Promise<void>
}

export interface DeliveringOptions {
  domain: DomainContext
  outgoing: Outgoing
  logger: {
    warn(facts: object, message: string): void
    error(facts: object, message: string): void
  }
  /** Tells operators that an endpoint was switched off. */
  onDisabled(webhook: Webhook, reason: 'gone' | 'failing'): Promise<void>
}

/** Waits after the failed attempts of one event, in seconds; each a fifth shorter or longer. */
const BACKOFF_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]

/** When an event is given up that had fewer attempts, as its endpoint accepted nothing for long. */
const GIVE_UP_SECONDS = 80 * 3_600

/** How long an endpoint may accept nothing before it is switched off. */
const SWITCH_OFF_SECONDS = 5 * 86_400

/** Requests to one endpoint at a time, and a second. */
const AT_ONCE = 8
const PER_SECOND = 50

/** The endpoints that a process sends to at a time. One that does not answer holds one place. */
const MAX_LANES = 200

/** How many lanes are taken at a time, so that other processes get some. */
const LANES_AT_ONCE = 16

/** The shortest time from one look for lanes to the next: under load, each finds several. */
const CLAIM_EVERY_MS = 20

/** The lease of a lane, which is renewed while it is worked on. */
const LEASE_SECONDS = 6
const RENEW_MS = 2_000

/** How often lanes are looked for that a process which has ended has left. */
const POLL_MS = 5_000

/** Starts to send. */
export function startDelivering(options: DeliveringOptions): Delivering {
  const { domain, logger } = options
  const { deliveries, webhooks } = domain.store
  const lanes = new Set<Promise<void>>()
  const timers = new Set<NodeJS.Timeout>()
  let claiming: Promise<void> | undefined
  let claimedAt = Number.NEGATIVE_INFINITY
  let isWanted = false
  let isClosed = false

  function wake(): void {
    isWanted = true
    // Not in the trace of the request that woke it.
    claiming ??= untraced(claim)
      .catch((err: unknown) => logger.error({ err }, 'Deliveries could not be read.'))
      .finally(() => {
        claiming = undefined
      })
  }

  function wakeIn(seconds: number): void {
    if (isClosed || seconds > POLL_MS / 1000) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      wake()
    }, seconds * 1000)
    timer.unref()
    timers.add(timer)
  }

  async function claim(): Promise<void> {
    while (isWanted && !isClosed) {
      await sleep(Math.max(0, claimedAt + CLAIM_EVERY_MS - performance.now()))
      claimedAt = performance.now()
      isWanted = false
      const limit = Math.min(LANES_AT_ONCE, MAX_LANES - lanes.size)
      if (limit === 0) return
      const claimed = await deliveries.claim(limit, LEASE_SECONDS)
      for (const lane of claimed) {
        const running = work(lane)
          .catch((err: unknown) => logger.error({ err }, 'Deliveries could not be stored.'))
          .finally(() => {
            if (lanes.size === MAX_LANES) wake()
            lanes.delete(running)
          })
        lanes.add(running)
      }
      if (claimed.length === limit) isWanted = true
    }
  }

  /** Sends what is due in a lane, and gives it back. */
  async function work(lane: Lane): Promise<void> {
    const { tenantId, webhookId } = lane
    let isOurs = true
    const renewing = setInterval(() => {
      deliveries.renew(lane, LEASE_SECONDS).then(
        (is) => {
          isOurs = is
        },
        () => {},
      )
    }, RENEW_MS)
    let pause = 0
    try {
      let failing = lane.failingSeconds
      while (isOurs && !isClosed) {
        // Read each time: a key may have been rotated, and the endpoint switched off.
        const webhook = await webhooks.get(tenantId, webhookId)
        if (!webhook || webhook.disabled) break
        // An endpoint that accepted nothing lately is asked with one event.
        const due = await deliveries.due(webhookId, failing === undefined ? AT_ONCE : 1)
        if (due.length === 0) break
        const round = await send(webhook, due)
        if (round.isAccepted) {
          if (failing !== undefined) await deliveries.setFailing(webhookId, false)
          const isLast = failing === undefined && due.length < AT_ONCE
          failing = undefined
          await sleep(round.restMs)
          // Events that came meanwhile are found when the lane is given back.
          if (isLast) break
        } else {
          if (failing === undefined) await deliveries.setFailing(webhookId, true)
          const isLong = (failing ?? 0) >= SWITCH_OFF_SECONDS
          if (round.isGone || isLong) await switchOff(webhook, round.isGone ? 'gone' : 'failing')
          pause = round.retryAfter ?? Math.min(60, Math.max(1, (failing ?? 0) / 10))
          break
        }
      }
    } finally {
      clearInterval(renewing)
    }
    const next = await persistently(() => deliveries.release(lane, pause))
    if (next !== undefined) wakeIn(next)
  }

  async function send(webhook: Webhook, due: readonly DueDelivery[]) {
    const started = performance.now()
    const answers = await Promise.all(due.map((one) => attempt(options, webhook, one)))
    const attempts = due.map((one, i) => attemptOf(one, answers[i] as WebhookAnswer))
    await persistently(() => deliveries.finish(attempts))
    for (const [i, { outcome, status, reason }] of attempts.entries()) {
      if (outcome === 'delivered') continue
      const { tenantId, id } = webhook
      const facts = { tenantId, webhook: id, event: due[i]?.eventId, status, reason }
      if (outcome === 'given_up') logger.error(facts, 'An event was given up.')
      else logger.warn(facts, 'An endpoint did not accept an event; it will be sent again.')
    }
    const rest = (due.length / PER_SECOND) * 1000 - (performance.now() - started)
    const asked = answers.flatMap(({ retryAfter }) => retryAfter ?? [])
    return {
      isAccepted: answers.some(isAccepted),
      isGone: answers.some(({ status }) => status === 410),
      restMs: Math.max(0, rest),
      retryAfter: asked.length > 0 ? Math.max(...asked) : undefined,
    }
  }

  async function switchOff(webhook: Webhook, reason: 'gone' | 'failing'): Promise<void> {
    const { id, tenantId } = webhook
    const scope = { context: domain, actor: { name: 'service' }, tenantId }
    if (!(await disableWebhook(scope, id, reason))) return
    logger.error({ tenantId, webhook: id, reason }, 'An endpoint was switched off.')
    await options.onDisabled(webhook, reason)
  }

  const polling = setInterval(() => {
    if (deliveries.mayBeDue?.() !== false) wake()
  }, POLL_MS)
  polling.unref()
  wake()

  return {
    wake,
    async idle() {
      wake()
      while (claiming || lanes.size > 0) await Promise.all([claiming, ...lanes])
    },
    async close() {
      isClosed = true
      clearInterval(polling)
      for (const timer of timers) clearTimeout(timer)
      await claiming
      await Promise.all(lanes)
    },
  }
}

function attemptOf(
  { id, attempts, age }: DueDelivery,
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
  return { id, status, reason, millis, outcome, waitSeconds }
}
