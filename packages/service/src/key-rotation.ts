import type { Logger } from 'pino'
import { resealSecrets } from './domain/keys/reseal.ts'
import type { DomainContext } from './domain/writes/context.ts'
import type { MasterKeys } from './domain/writes/vault.ts'
import { resealNotice } from './issuer/index.ts'
import { resealMail } from './mail/outbox.ts'
import type { ProtocolStore } from './store/protocol-store.ts'

/** Keeps everything sealed under the newest master key. */
export interface KeyRotation {
  /** Stops once what is under way is finished. */
  close(): Promise<void>
}

/** How often the file of the master keys is looked at. */
const LOOK_EVERY_MS = 2_000

/**
 * Seals everything under the newest master key, while the service serves: at the start when there are
 * several keys, and when the file of the keys has changed.
 */
export function followMasterKeys(
  keys: MasterKeys,
  context: DomainContext,
  protocol: ProtocolStore,
  logger: Logger,
): KeyRotation {
  let running = Promise.resolve()
  let reported = ''

  async function reseal(): Promise<void> {
    const { vault } = context
    try {
      await resealSecrets(context)
      await protocol.mail.reseal((id, sealed) => resealMail(vault, id, sealed))
      await protocol.notices.reseal((id, sealed) => resealNotice(vault, id, sealed))
      logger.info(DONE)
    } catch (err) {
      logger.error({ err }, 'Secrets could not be sealed under the newest master key.')
    }
  }

  function look(): void {
    try {
      if (keys.refresh()) running = running.then(reseal)
      reported = ''
    } catch (error) {
      const reason = (error as Error).message
      if (reason !== reported) logger.error({ reason }, 'The master keys of before stay in use.')
      reported = reason
    }
  }

  if (keys.list().length > 1) running = reseal()
  const looking = setInterval(look, LOOK_EVERY_MS)
  looking.unref()
  return {
    async close() {
      clearInterval(looking)
      await running
    },
  }
}

const DONE =
  'Every secret is sealed under the newest master key. Earlier keys can be removed from the file.'
