import { lookUpUser } from '../../../domain/users/users.ts'
import {
  type EndingLogin,
  endOfSessions,
  isLoginValid,
  type Login,
} from '../../../domain/ways/valid-logins.ts'
import type { User } from '../../../store/records.ts'
import { readSession, type Session } from '../../engine/session.ts'
import type { FlowRequest } from '../flow/flow-request.ts'

/** The session of this browser, where it is the user's and valid. */
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

/** The login of this browser's session, where it is the user's and valid. */
export async function findOwnLogin(flow: FlowRequest, user: User): Promise<Login | undefined> {
  const current = await readUser(flow, user)
  const session = current && (await findOwnSession(flow, current))
  return session && loginOf(session)
}

/** The login of a session, on whose behalf its user acts. */
export function loginOf({ loginTs = 0, keptAt }: Session): Login {
  return { loggedInAt: loginTs, keptAt }
}

/**
 * Ends all sessions of the user but the one of this browser, which asks for it.
 *
 * The session notes the end before it comes, as those that have not asked for it are removed right
 * after. It outlives that very end alone: one that another person has brought about meanwhile ends
 * this session, too.
 *
 * @param end - Returns whether the sessions have ended. Not called if the login is no longer valid.
 * @param underWay - The login that asks for it, where it is not finished. Default: that of this
 *   browser's session.
 * @returns As `end` does.
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
  await keep(session, at / 1e6)
  const hasEnded = await end({ login, at })
  if (!hasEnded) await keep(session, own?.keptAt)
  return hasEnded
}

async function keep(session: Session | undefined, at: number | undefined): Promise<void> {
  if (!session) return
  session.keptAt = at
  await session.persist()
}
