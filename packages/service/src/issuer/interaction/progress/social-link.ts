import { connectAccount, type SocialAccount } from '../../../domain/factors/social.ts'
import type { Login } from '../../../domain/ways/valid-logins.ts'
import { entry } from '../../../domain/writes/entries.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import type { User } from '../../../store/records.ts'
import { type InteractionRequest, mailContextOf, scopeOf } from '../flow/flow-request.ts'
import { sendNews } from '../mail/messages.ts'

/** An account at a provider that is connected once all required factors of the login are proven. */
export interface PendingLink {
  account: SocialAccount
  /** The name of the connection. */
  name: string
  /**
   * The user to whom the account is connected, and the user's email address. If another user logs
   * in, or the address has changed, nothing is connected.
   */
  userId: string
  emailKey: string
}

const links = entry<PendingLink>('SocialLink', lifetimes.interactionSeconds)

/** Stores the account to connect at the end of the login. */
export async function writeLink(
  flow: InteractionRequest,
  user: User,
  account: SocialAccount,
  name: string,
): Promise<void> {
  const link = { account, name, userId: user.id, emailKey: user.emailKey }
  await links.put(flow, flow.interaction.uid, link)
}

/**
 * The account to connect at the end of the login; `undefined` if no account was stored for this
 * login, or the tenant does not allow logins at providers.
 */
export async function readLink(flow: InteractionRequest): Promise<PendingLink | undefined> {
  if (!flow.tenant.settings.allowSocial) return undefined
  return (await links.read(flow, flow.interaction.uid))?.value
}

/**
 * Connects the stored account to the logged-in user, and notifies the user. Does nothing if the
 * account was stored for another user or email address, or the login was revoked meanwhile.
 */
export async function completeLink(
  flow: InteractionRequest,
  user: User,
  login: Login,
): Promise<void> {
  const link = await readLink(flow)
  if (link?.userId !== user.id || link.emailKey !== user.emailKey) return
  await links.drop(flow, flow.interaction.uid)
  if (!(await connectAccount(scopeOf(flow, user.id), user, link.account, login))) return
  await sendNews(flow.context, 'connected', mailContextOf(flow), user, {
    values: { name: link.name },
  })
}
