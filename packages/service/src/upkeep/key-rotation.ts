import type { Logger } from 'pino'
import type { Background } from '../background/index.ts'
import { resealSecrets } from '../domain/keys/reseal.ts'
import { resealMoves } from '../domain/operators/new-job.ts'
import { type DomainContext, exclusively } from '../domain/writes/context.ts'
import { ServiceError } from '../domain/writes/errors.ts'
import { type MasterKeys, UnknownMasterKeyError } from '../domain/writes/vault.ts'
import { resealNotice } from '../issuer/index.ts'
import { resealMail } from '../mail/outbox.ts'
import type { ProtocolStore } from '../store/protocol-store.ts'
import { resealWebhooks } from '../webhooks/rules.ts'

/** The background work that seals all secrets under the newest master key. */
export interface KeyRotation {
  /**
   * Compares the keys of this process with the keys in use.
   *
   * @throws ServiceError `unavailable` if another process encrypts under a key that this process
   *   does not know.
   */
  check(): Promise<void>
}

/** The time between two reads of the master key file. */
const LOOK_EVERY_MS = 2_000

/**
 * Encrypts everything under the newest master key while the service runs: at the start if there are
 * several keys, and when the file with the keys changes. Only one process does this at a time. If
 * that process stops, another process does the rest.
 */
export function followMasterKeys(
  keys: MasterKeys,
  context: DomainContext,
  protocol: ProtocolStore,
  background: Background,
  logger: Logger,
): KeyRotation {
  const { vault, store } = context
  let isWanted = keys.list().length > 1
  let reported = ''

  async function check(): Promise<void> {
    const ids = (await store.sealingKeys?.list()) ?? []
    const unknown = vault.firstUnknown(ids)
    if (unknown !== undefined) {
      const cause = new UnknownMasterKeyError(unknown)
      throw new ServiceError('unavailable', cause.message, { cause, retryAfterSeconds: 5 })
    }
    // The key is added only after this check: a process that lacks a key of the other processes
    // must not encrypt under a key that the others may lack.
    if (!ids.includes(vault.newestId())) await store.sealingKeys?.add(vault.newestId())
  }

  async function reseal(isClosed: () => boolean): Promise<void> {
    await check()
    const isOurs = await exclusively(context, 'reseal-secrets', async () => {
      await resealSecrets(context, isClosed)
      // The next start goes on. Until then, the earlier keys are needed.
      if (isClosed()) return
      await resealWebhooks(context)
      await resealMoves(context)
      await protocol.mail.reseal((id, sealed) => resealMail(vault, id, sealed))
      await protocol.notices.reseal((id, sealed) => resealNotice(vault, id, sealed))
      await store.sealingKeys?.keepOnly(vault.newestId())
      logger.info(DONE)
    })
    // If another process does the work now, this process tries again later.
    if (isOurs) isWanted = false
  }

  function refresh(): void {
    try {
      isWanted = keys.refresh() || isWanted
      reported = ''
    } catch (error) {
      const reason = (error as Error).message
      if (reason !== reported) logger.error({ reason }, 'The master keys of before stay in use.')
      reported = reason
    }
  }

  const looking = background.every(
    LOOK_EVERY_MS,
    'sealing under the newest master key',
    async (isClosed) => {
      refresh()
      if (isWanted) await reseal(isClosed)
    },
  )
  if (isWanted) void looking.wake()
  else {
    check().catch((error: unknown) => logger.error({ reason: (error as Error).message }, UNREADY))
  }
  return { check }
}

const UNREADY = 'The master keys of this process could not be compared with those in use.'

const DONE =
  'Every secret is sealed under the newest master key. Earlier keys can be removed from the file.'
