import { ConfigError } from '../errors/errors.ts'
import { createLog, type Log, type Logger } from '../log/log.ts'
import { createMemoryStore } from '../session/stores/memory-store.ts'
import type { SessionStore } from '../session/stores/session-store.ts'
import {
  type ConfigFault,
  callable,
  checkOptions,
  either,
  type Rules,
  rule,
  seconds,
  text,
  texts,
} from '../shared/check-options.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'
import { readSecret, type WebhookSecret } from './signature.ts'
import type { UnknownWebhookEvent, WebhookEvent } from './webhook-event.ts'

/** The options of `createWebhookHandler`. */
export interface WebhookHandlerOptions {
  /**
   * The secret of the endpoint, `whsec_…`. During a rotation, a list of the new and the old secret;
   * each is accepted.
   */
  readonly secret: string | readonly string[] | undefined
  /**
   * Handles an event. The webhook is answered when the promise resolves. If it rejects, or takes
   * longer than `answerSeconds`, the service sends the event again. Events can arrive twice and out
   * of order, so read the current state of the object from the API.
   */
  readonly onEvent: (event: WebhookEvent) => MaybePromise<unknown>
  /**
   * Handles events whose type this version does not know. Default: they are accepted and ignored.
   */
  readonly onUnknownEvent?: ((event: UnknownWebhookEvent) => MaybePromise<unknown>) | undefined
  /**
   * Remembers for two days which events were handled. Default: the memory of this process. With
   * several processes, pass the session store that they share.
   */
  readonly store?: SessionStore | undefined
  /**
   * The logger for refused webhooks and errors of `onEvent`; `false` logs nothing. Default
   * `console`.
   */
  readonly logger?: Logger | false | undefined
  /**
   * Seconds that `onEvent`, `onUnknownEvent` and each call of `store` may take. Default 10; the
   * service waits 15 for the response. If a call takes longer, the response is 503 and the service
   * sends the event again. The late call continues, and for at most 60 seconds no copy of the event
   * is handled meanwhile.
   */
  readonly answerSeconds?: number | undefined
  /** Returns the time in whole seconds since the epoch, for tests. Default: the system clock. */
  readonly now?: (() => number) | undefined
}

/** The options with every default filled in. */
export interface ResolvedWebhookOptions {
  readonly secrets: readonly WebhookSecret[]
  readonly onEvent: WebhookHandlerOptions['onEvent']
  readonly onUnknownEvent: NonNullable<WebhookHandlerOptions['onUnknownEvent']>
  readonly store: SessionStore
  readonly log: Log
  readonly answerSeconds: number
  readonly now: () => number
}

const hasMethods = (value: unknown, ...names: readonly string[]): boolean =>
  names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function')

const RULES: Rules<WebhookHandlerOptions> = {
  secret: either(text, texts),
  onEvent: callable,
  onUnknownEvent: callable,
  store: rule('a session store, such as createSessionStore()', (value) => {
    return hasMethods(value, 'get', 'set', 'update', 'touch', 'destroy')
  }),
  logger: rule('a logger with info(), warn() and error() or false', (value) => {
    return value === false || hasMethods(value, 'info', 'warn', 'error')
  }),
  answerSeconds: seconds,
  now: callable,
}

/** The names of these options in other libraries. */
const EQUIVALENTS = {
  secrets: 'secret',
  on: 'onEvent',
  handler: 'onEvent',
  toleranceSeconds: 'Leave it out: a timestamp may be five minutes off.',
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {@link ConfigError} listing every fault at once.
 */
export function resolveWebhookOptions(options: WebhookHandlerOptions): ResolvedWebhookOptions {
  const { faults } = checkOptions<WebhookHandlerOptions>(options, RULES, {
    equivalents: EQUIVALENTS,
    example: '{ secret, onEvent }',
  })
  const isFaulty = (name: string): boolean =>
    faults.some(({ option }) => option === name || option === 'options')
  const secrets = isFaulty('secret') ? [] : readSecrets(options.secret, faults)
  if (!isFaulty('onEvent') && options.onEvent === undefined) {
    const remedy = 'is not set. It is the function that gets each event.'
    faults.push({ option: 'onEvent', remedy })
  }
  if (faults.length > 0) throw new ConfigError(faults, 'createWebhookHandler() cannot start:')
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  return {
    secrets,
    onEvent: options.onEvent,
    onUnknownEvent: options.onUnknownEvent ?? (() => {}),
    store: options.store ?? createMemoryStore({ now }),
    log: createLog(options.logger ?? console, now),
    answerSeconds: options.answerSeconds ?? 10,
    now,
  }
}

function readSecrets(
  given: WebhookHandlerOptions['secret'],
  faults: ConfigFault[],
): readonly WebhookSecret[] {
  const all = [given ?? []].flat()
  const read = all.map(readSecret)
  const remedy =
    all.length === 0 || all.includes('')
      ? 'is not set or empty. Is the environment variable set?'
      : 'is no secret of a webhook: "whsec_" and 24 to 64 bytes as base64. Copy it whole; the service shows it once.'
  if (all.length === 0 || read.includes(undefined)) faults.push({ option: 'secret', remedy })
  return read.filter((one) => one !== undefined)
}
