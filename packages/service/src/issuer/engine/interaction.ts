import type { IncomingMessage, ServerResponse } from 'node:http'
import { type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { replace, storeAlso } from './replace.ts'

interface BoundInteraction {
  jti: string
  browser?: string
  clientName?: string | undefined
  session?: object | undefined
}

type SaveFor = (this: BoundInteraction, seconds: number) => Promise<string>
type Find<Found> = (this: object, id: string, options?: object) => Promise<Found | undefined>

/**
 * Stores two more members with every interaction: the browser in which the login began (`browser`),
 * and the name that a client claims (`clientName`). Only this browser can resume the interaction.
 * An interaction that begins in a session whose login is no longer valid does not refer to this
 * session.
 *
 * @param begin - Returns these members, and the lifetime of the interaction until its page is
 *   opened, in seconds. If the promise rejects, no interaction begins.
 */
export function bindInteractions(
  provider: Provider,
  begin: (
    ctx: KoaContextWithOIDC,
    id: string,
  ) => Promise<{
    browser: string
    seconds: number
    clientName?: string | undefined
  }>,
  isSame: (request: IncomingMessage, browser: string | undefined) => boolean,
): void {
  storeAlso(provider, 'Interaction', ['browser', 'clientName'])
  const save: SaveFor = replace(provider, 'Interaction.prototype.save', async function (ttl) {
    if (!Provider.ctx || this.browser !== undefined) return save.call(this, ttl)
    const { browser, seconds, clientName } = await begin(Provider.ctx, this.jti)
    Object.assign(this, { browser, clientName })
    const { session, account } = Provider.ctx.oidc
    // A session whose login is no longer valid may be destroyed in the background at any time. The
    // interaction must not be destroyed with this session.
    if (session?.accountId && !account) this.session = undefined
    return save.call(this, Math.min(ttl, seconds))
  })
  const find: Find<BoundInteraction> = replace(
    provider,
    'Interaction.find',
    async function (id, options) {
      const found = await find.call(this, id, options)
      // Within a request to oidc-provider, an interaction is looked up only at the end of a login.
      return Provider.ctx && !isSame(Provider.ctx.req, found?.browser) ? undefined : found
    },
  )
}

/**
 * The interaction of a request, if the session in which the interaction began no longer exists;
 * otherwise `undefined`. oidc-provider would answer that there is no such interaction.
 */
export async function readAbandoned(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<InstanceType<Provider['Interaction']> | undefined> {
  const { cookies } = provider.createContext(request, response)
  const id = cookies.get(provider.cookieName('interaction'))
  const interaction = id === undefined ? undefined : await provider.Interaction.find(id)
  const uid = interaction?.session?.uid
  if (uid === undefined || (await provider.Session.findByUid(uid))) return undefined
  return interaction
}
