import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'oidc-provider'
import { exceptionKeys } from '../../domain/applications/application-exceptions.ts'
import { nowMicros } from '../../domain/writes/context.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import { entryName } from '../../store/protocol-store.ts'
import type { IssuerContext } from '../context.ts'
import type { RefreshAnswers } from '../engine/refresh.ts'
import { change } from './request-changes.ts'

const KIND = 'RefreshAnswer'

/**
 * The time after the use of a token during which a repeated request waits for the first response,
 * in seconds.
 */
const BUSY_SECONDS = 2
const LOOKS = 10
const LOOK_EVERY_MS = 100

/**
 * Creates the encrypted store of the responses to a tenant's latest refreshes. If a response is
 * lost, an application can repeat the refresh within 30 seconds and gets the same tokens. So a used
 * token has at most one successor. Any other use of a used token ends the login.
 *
 * @see RFC 9700 §4.14.2
 */
export function createRefreshAnswers(
  { protocol, domain }: IssuerContext,
  tenantId: string,
): RefreshAnswers {
  const { vault, clock } = domain
  const purpose = (key: string): string => `${KIND}:${tenantId}:${key}`
  return {
    isFor(client) {
      const { clientAuthMethod, [exceptionKeys.refreshRepeat]: repeat } = client as Client
      // Clients that describe themselves have no metadata of an application.
      return clientAuthMethod !== 'none' && repeat !== 'refused'
    },

    async find(token, question, usedAt = clock.now() / 1_000) {
      const name = entryName(tenantId, KIND, token)
      for (let looks = 0; ; looks++) {
        const entry = await protocol.find(name)
        if (entry) {
          const { question: asked, answer } = JSON.parse(
            vault.open(purpose(name.key), JSON.parse(entry.payload)),
          )
          return asked === question ? answer : undefined
        }
        // The first request may still be in progress.
        if (looks === LOOKS || clock.now() / 1_000 - usedAt > BUSY_SECONDS) return undefined
        await wait(LOOK_EVERY_MS)
      }
    },

    async keep(token, question, answer) {
      const name = entryName(tenantId, KIND, token)
      const entry = {
        ...name,
        payload: JSON.stringify(
          vault.seal(purpose(name.key), JSON.stringify({ question, answer })),
        ),
        expiresAt: nowMicros(clock) + lifetimes.refreshRepeatSeconds * 1e6,
      }
      await change(protocol, { kind: 'put', entry })
    },
  }
}
