import { deriveKey, macOf } from '../shared/sealing.ts'
import type { AuthSession } from './session.ts'
import { indexKey, indexKeys } from './session-record.ts'
import type { SessionRecord, SessionStore } from './stores/session-store.ts'
import { storeAnswer } from './stores/store-answer.ts'

/**
 * The content of a logout token. The token ends the provider's session `sid` or, without `sid`,
 * every login of `sub`.
 */
export interface Notice {
  readonly issuer: string
  readonly sub: string | undefined
  readonly sid: string | undefined
  /**
   * When the provider issued the logout token, by the provider's clock, in seconds since the epoch.
   */
  readonly issuedAt: number
}

/**
 * The logout tokens of the last ten minutes. A login that was in progress when its logout token
 * came must not begin a session.
 */
export interface EndedLogins {
  /** Remembers a logout token. Call this before you destroy the existing sessions. */
  remember(notice: Notice): Promise<void>
  /**
   * The ids of the records that can contain a logout token for a session. Read these records after
   * you store the session, so that a token that arrives meanwhile is not missed.
   */
  idsOf(session: AuthSession): readonly string[]
  /**
   * Whether a logout token ended the login of a session.
   *
   * @param issuedAt - When the provider issued the ID Token of the login, by its clock.
   * @param records - The records under the ids of {@link idsOf}, in the order of the ids.
   */
  hasEnded(session: AuthSession, issuedAt: number, records: Records): boolean
}

type Records = readonly (SessionRecord | undefined)[]

const REMEMBERED_SECONDS = 600

/**
 * Makes {@link EndedLogins}. Logout tokens are stored as session records, which every store
 * supports. The ids of these records are keyed hashes. They cannot occur in a cookie, and reveal
 * nothing without the session secret.
 */
export function createEndedLogins(
  store: SessionStore,
  secrets: readonly string[],
  now: () => number,
): EndedLogins {
  const secretKeys = secrets.map((secret) => deriveKey(secret, 'ended-login'))
  /**
   * The record ids for an index key, one for each session secret, so that a rotation of secrets
   * hides no logout token.
   */
  const recordIds = (indexKey: string): string[] => secretKeys.map((key) => macOf(indexKey, key))
  /**
   * The time at which the latest logout token for this user in these records was issued;
   * `-Infinity` without such a token.
   */
  const latest = (records: Records, sub: string | undefined): number => {
    const notices = records.flatMap((record) => (record ? [record.data] : []))
    const concernsUser = ({ keptUntil, sub: ended }: SessionRecord['data']): boolean =>
      Number(keptUntil) > now() && (ended === undefined || ended === sub)
    return Math.max(
      -Infinity,
      ...notices.filter(concernsUser).map(({ endedAt }) => Number(endedAt)),
    )
  }

  return {
    idsOf: (session) => indexKeys(session).flatMap(recordIds),
    async remember({ issuer, sub, sid, issuedAt }) {
      const key =
        sid === undefined ? indexKey(issuer, 'sub', sub ?? '') : indexKey(issuer, 'sid', sid)
      const ids = recordIds(key)
      const [id = ''] = ids
      const keptUntil = now() + REMEMBERED_SECONDS
      const earlier = await Promise.all(ids.map((id) => storeAnswer(() => store.get(id))))
      const data = { sub, endedAt: Math.max(issuedAt, latest(earlier, sub)), keptUntil }
      await storeAnswer(() => store.set(id, { data, expiresAt: keptUntil }))
    },
    hasEnded({ sub }, issuedAt, records) {
      // In the order of `idsOf`: the user's records come first, one for each secret.
      const [ofSub, ofSid] = [records.slice(0, secretKeys.length), records.slice(secretKeys.length)]
      return latest(ofSid, sub) > -Infinity || issuedAt < latest(ofSub, sub)
    },
  }
}
