import type {
  ClientAccess,
  LiveSession,
  MailRecord,
  ShownImpersonation,
  TrustedDevice,
} from '../domain/operators/support.ts'
import { messageState } from '../store/protocol-store.ts'
import type { Micros } from '../store/records.ts'
import { omitZero } from './omit-zero.ts'
import { formatTimestamp } from './timestamps.ts'

/** Makes the response body for a session. */
export function serializeSession(session: LiveSession): object {
  return omitZero({
    type: 'Session',
    id: session.id,
    logged_in_at: formatTimestamp(session.loggedInAt * 1e6),
    browser: session.browser,
    system: session.system,
    application_ids: session.applicationIds,
  })
}

/** Makes the response body for a mail, without the content of the mail. */
export function serializeMail(mail: MailRecord): object {
  const state = messageState(mail)
  return omitZero({
    type: 'Mail',
    id: mail.id,
    created_at: formatTimestamp(mail.createdAt),
    kind: mail.kind,
    user_id: mail.userId,
    state,
    attempts: mail.attempts,
    last_answer: mail.answer,
    due_at: state === 'waiting' ? formatTimestamp(mail.dueAt) : undefined,
    sent_at: mail.outcome === 'sent' ? formatTimestamp(mail.endedAt ?? 0) : undefined,
  })
}

/** Makes the response body for a grant. */
export function serializeGrant(grant: ClientAccess): object {
  const { place } = grant
  return omitZero({
    type: 'Grant',
    id: grant.id,
    user_id: grant.userId,
    client_id: grant.clientId,
    application_id: grant.isApplication ? grant.clientId : undefined,
    hosts: grant.hosts,
    name: grant.name,
    on_device: place === 'device',
    goes_to: place === 'device' ? undefined : place,
    granted_at: formatTimestamp(grant.since),
    last_used_at: grant.usedAt === undefined ? undefined : formatTimestamp(grant.usedAt),
    scopes: grant.ofLogin,
    resources: Object.entries(grant.apis).map(([resource, scopes]) => ({ resource, scopes })),
  })
}

/**
 * Makes the object for a device on which the second step is skipped, in the export of a user's
 * data.
 */
export function serializeDevice({ since, browser, system }: TrustedDevice): object {
  return omitZero({ type: 'TrustedDevice', trusted_at: formatTimestamp(since), browser, system })
}

/**
 * Makes the object for an operator's login as the user, in the export of a user's data.
 *
 * @param applications - The applications that the operator opened in this login.
 */
export function serializeOperatorLogin(
  one: ShownImpersonation,
  applications: readonly { id: string; name: string }[],
): object {
  const at = (time: Micros | undefined) => (time === undefined ? undefined : formatTimestamp(time))
  return omitZero({
    type: 'OperatorLogin',
    id: one.id,
    operator: one.operator,
    operator_role: one.role,
    reason: one.reason,
    state: one.state,
    asked_at: at(one.askedAt),
    agreed_at: at(one.agreedAt),
    begun_at: at(one.begunAt),
    until: at(one.until),
    ended_at: at(one.ended?.at),
    ended_by: one.ended?.by,
    applications: applications.map((application) => omitZero({ ...application })),
  })
}
