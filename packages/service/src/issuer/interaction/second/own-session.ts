import { lookUpUser } from '../../../domain/users/users.ts'
import {
  type EndingLogin,
  endOfSessions,
  isLoginValid,
  type Login,
} from '../../../domain/ways/valid-logins.ts'
import type { User } from '../../../store/records.ts'
import { SpentError } from '../../engine/code.ts'
import { readSession, type Session } from '../../engine/session.ts'
import type { FlowRequest } from '../flow/flow-request.ts'

/** The session of this browser, if it belongs to the user, is valid, and is not an operator's. */
async function findOwnSession(
  { provider, request, response }: FlowRequest,
  user: User,
): Promise<Session | undefined> {
  const session = await readSession(provider, request, response)
  const isOwn = session.accountId === user.id && !session.acting
  return isOwn && isLoginValid(user, session.loginTs, session.keptAt) ? session : undefined
}

function readUser({ context, tenant }: FlowRequest, { id }: User): Promise<User | undefined> {
  return lookUpUser(context.domain, tenant.id, id)
}

/** The login of this browser's session, if it belongs to the user and is valid. */
export async function findOwnLogin(flow: FlowRequest, user: User): Promise<Login | undefined> {
  const current = await readUser(flow, user)
  const session = current && (await findOwnSession(flow, current))
  return session && loginOf(session)
}

/** The login of a session, for actions of its user. */
export function loginOf({ loginTs = 0, keptAt }: Session): Login {
  return { loggedInAt: loginTs, keptAt }
}

/**
 * Revokes all sessions of the user except that of this browser.
 *
 * The session stores the time of the revocation beforehand, because sessions without this time are
 * removed right after. The session survives only this revocation: if another person revokes the
 * sessions at the same time, this session is revoked, too.
 *
 * @param end - Revokes the sessions, and returns whether this succeeded. Not called if the login is
 *   no longer valid.
 * @param underWay - The login in progress that causes this. Default: the login of this browser's
 *   session.
 * @returns The result of `end`.
 */
export async function exceptThisSession(
  flow: FlowRequest,
  user: User,
  end: (ending: EndingLogin) => Promise<boolean>,
  underWay?: Login,
): Promise<boolean> {
  const current = await readUser(flow, user)
  const session = current && (await findOwnSession(flow, current))
  const own = session && loginOf(session)
  const login = underWay ?? own
  if (!current || !login) return false
  const at = endOfSessions(flow.context.domain, current)
  const isKept = await keep(flow, current, session, at / 1e6)
  if (!isKept && !underWay) return false
  const hasEnded = await end({ login, at })
  if (!hasEnded) await keep(flow, current, session, own?.keptAt)
  return hasEnded
}

/**
 * Stores the time of a revocation with the session of this browser. If another request changes the
 * session at the same moment, the session is read again.
 *
 * @returns `false` if there is no session, or it has ended meanwhile.
 */
async function keep(
  flow: FlowRequest,
  user: User,
  session: Session | undefined,
  at: number | undefined,
): Promise<boolean> {
  for (let current = session; current; current = await findOwnSession(flow, user)) {
    current.keptAt = at
    try {
      await current.persist()
      return true
    } catch (error) {
      if (!(error instanceof SpentError)) throw error
    }
  }
  return false
}
