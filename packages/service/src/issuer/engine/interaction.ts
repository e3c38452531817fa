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
 * Stores two more members with every interaction: the browser in which it began (`browser`), and
 * the name that a client claims (`clientName`). It can be resumed only in that browser. If the user
 * of the session cannot continue, the interaction becomes independent of the session.
 *
 * @param begin - Returns these members, and how long the interaction waits until its page is
 *   opened. If it rejects, no interaction begins.
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
    // The session of such a user may be ended in the background at any moment. The login must not
    // end with it.
    if (session?.accountId && !account) this.session = undefined
    return save.call(this, Math.min(ttl, seconds))
  })
  const find: Find<BoundInteraction> = replace(
    provider,
    'Interaction.find',
    async function (id, options) {
      const found = await find.call(this, id, options)
      // oidc-provider itself looks up an interaction only at the end of a login.
      return Provider.ctx && !isSame(Provider.ctx.req, found?.browser) ? undefined : found
    },
  )
}

/**
 * The interaction of a request, even if the session in which it began has ended. oidc-provider
 * would answer that it does not exist.
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
