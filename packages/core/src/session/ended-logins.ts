import { deriveKey, macOf } from '../shared/sealing.ts'
import type { AuthSession } from './session.ts'
import { indexKey, indexKeys } from './session-record.ts'
import type { SessionRecord, SessionStore } from './stores/session-store.ts'
import { storeAnswer } from './stores/store-answer.ts'

/** A logout token, which ends the provider session `sid`, or every login of `sub` if it has no `sid`. */
export interface Notice {
  readonly issuer: string
  readonly sub: string | undefined
  readonly sid: string | undefined
  /** The time at which the provider issued the notice, by its clock. */
  readonly issuedAt: number
}

/**
 * The logout notices of the last ten minutes. They keep a login that is still in progress from
 * beginning a session that a notice has ended.
 */
export interface EndedLogins {
  /** Remembers a notice. Call it before the existing sessions are ended. */
  remember(notice: Notice): Promise<void>
  /**
   * The ids of the records that can contain a notice for a session. Read these records after the
   * session is stored, so that a notice which arrives meanwhile is not missed.
   */
  idsOf(session: AuthSession): readonly string[]
  /**
   * Whether a notice ended the login of a session.
   *
   * @param issuedAt - When the provider issued the ID Token of the login, by its clock.
   * @param records - The records under the ids that {@link idsOf} names, in their order.
   */
  hasEnded(session: AuthSession, issuedAt: number, records: Records): boolean
}

type Records = readonly (SessionRecord | undefined)[]

const REMEMBERED_SECONDS = 600

/**
 * Stores logout notices as session records, because every store supports these. The id of such a
 * record cannot occur in a cookie, and reveals nothing without the secret.
 */
export function createEndedLogins(
  store: SessionStore,
  secrets: readonly string[],
  now: () => number,
): EndedLogins {
  const secretKeys = secrets.map((secret) => deriveKey(secret, 'ended-login'))
  /** The ids for an index key, one for each secret, so that a notice is found after a rotation. */
  const recordIds = (indexKey: string): string[] => secretKeys.map((key) => macOf(indexKey, key))
  /** The time of the latest notice in these records that concerns this user; `-Infinity` without one. */
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
