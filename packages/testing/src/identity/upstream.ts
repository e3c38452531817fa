import { ConfigError } from '@latchkey/core'
import { checkOptions, type Rules, text } from '@latchkey/core/internal'
import type { Identity } from './identity.ts'
import {
  checkIsAt,
  createVisitor,
  hiddenFields,
  type LoginPlace,
  passPages,
  refused,
  type Stop,
} from './log-in.ts'
import type { Call } from './management.ts'
import type { KnownUser } from './users.ts'

/** Options of `Identity.upstream()`. */
export interface UpstreamOptions {
  /** The name on the button. Default `Upstream`. */
  readonly name?: string
}

const RULES: Rules<UpstreamOptions> = { name: text }

/**
 * Adds another identity as a provider of a tenant, so that users can log in through both.
 *
 * @param upstream - The other identity, which listens.
 */
export async function connectUpstream(
  identity: Pick<Identity, 'service' | 'tenantId'>,
  place: LoginPlace,
  call: Call,
  upstream: Identity,
  options: UpstreamOptions,
): Promise<void> {
  const { service, tenantId } = identity
  const path = `/v1/tenants/${tenantId}`
  const tenant = await call(path)
  await call(path, { ...tenant, settings: { ...tenant.settings, allow_social: true } })
  const callback = service.admin.callbackPathFor({ recipe: 'oidc', issuer: upstream.issuer })
  const routes = { callback }
  const client = upstream.clientOptions({ baseUrl: place.issuer, routes })
  // The first request waits until the redirect URI is registered at the other identity.
  await client.fetch(`${upstream.issuer}/.well-known/openid-configuration`)
  const { id } = await service.admin.createConnection(tenantId, {
    recipe: 'oidc',
    name: options.name ?? 'Upstream',
    issuer: upstream.issuer,
    clientId: client.clientId,
    secret: client.clientSecret,
    trustEmail: true,
  })
  const there = { issuer: upstream.issuer, fetch: client.fetch }
  upstream.logIn = async (agent, url, user) => {
    checkIsAt(place, url)
    const visitor = createVisitor(place)
    const sent = await chooseConnection(visitor.open, await visitor.open(url), id)
    const back = leftBy(sent, user)
    const answer = leftBy(await passPages(createVisitor(there), back.href, user), user)
    const left = leftBy(await visitor.open(answer.href), user)
    return agent.get(left.pathname + left.search).set('accept', 'text/html')
  }
}

/** @throws {@link ConfigError} for an option that is unknown or of a wrong type. */
export function checkUpstreamOptions(options: UpstreamOptions): void {
  const { faults } = checkOptions(options, RULES)
  if (faults.length > 0) throw new ConfigError(faults, 'upstream() cannot connect:')
}

/** Presses the button of a connection, if the page has it. */
async function chooseConnection(
  open: ReturnType<typeof createVisitor>['open'],
  stop: Stop,
  connection: string,
): Promise<Stop> {
  const forms = stop.kind === 'page' ? stop.html.match(/<form.*?<\/form>/gs) : undefined
  const form = forms?.find((html) => html.includes(`value="${connection}"`))
  if (stop.kind === 'left' || !form) return stop
  const action = / action="([^"]*)"/.exec(form)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const fields = new URLSearchParams({ ...hiddenFields(form), connection })
  return open(new URL(action, stop.url).href, fields)
}

function leftBy(stop: Stop, user: KnownUser): URL {
  if (stop.kind === 'page') throw refused(stop.html, user)
  return stop.url
}
