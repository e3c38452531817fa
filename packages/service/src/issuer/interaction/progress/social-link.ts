import { connectAccount, type SocialAccount } from '../../../domain/factors/social.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import { entryName } from '../../../store/protocol-store.ts'
import type { User } from '../../../store/records.ts'
import { type InteractionRequest, occasionOf, scopeOf } from '../flow/flow-request.ts'
import { sendNews } from '../mail/messages.ts'

/** An account at a provider that a login connects once everything is proven that it asks for. */
export interface PendingLink {
  account: SocialAccount
  /** The name of the connection. */
  name: string
  /**
   * The user and address that the link was sent for; if either has changed, nothing is connected.
   */
  userId: string
  emailKey: string
}

const KIND = 'SocialLink'

/** Records the account that the login connects at its end. */
export async function writeLink(
  flow: InteractionRequest,
  user: User,
  account: SocialAccount,
  name: string,
): Promise<void> {
  const { protocol, domain } = flow.context
  const link: PendingLink = { account, name, userId: user.id, emailKey: user.emailKey }
  await protocol.put({
    ...nameOf(flow),
    payload: JSON.stringify(link),
    expiresAt: nowMicros(domain.clock) + lifetimes.interactionSeconds * 1e6,
  })
}

/** The account that the login connects at its end, if any. */
export async function readLink(flow: InteractionRequest): Promise<PendingLink | undefined> {
  if (!flow.tenant.settings.allowSocial) return undefined
  const entry = await flow.context.protocol.find(nameOf(flow))
  return entry && (JSON.parse(entry.payload) as PendingLink)
}

/** Connects the recorded account to the logged-in user, and notifies the user. */
export async function completeLink(flow: InteractionRequest, user: User): Promise<void> {
  const link = await readLink(flow)
  if (link?.userId !== user.id || link.emailKey !== user.emailKey) return
  await flow.context.protocol.delete(nameOf(flow))
  if (!(await connectAccount(scopeOf(flow, user.id), user, link.account))) return
  await sendNews(flow.context, 'connected', occasionOf(flow), user, { values: { name: link.name } })
}

function nameOf({ tenant, interaction }: InteractionRequest) {
  return entryName(tenant.id, KIND, interaction.uid)
}
