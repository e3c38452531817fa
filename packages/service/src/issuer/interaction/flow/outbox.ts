import { authenticate, reaches } from '../../../domain/keys/api-keys.ts'
import { opensDeveloperMode } from '../../../domain/tenants/developer-mode.ts'
import { isLoopbackHost } from '../../../domain/writes/addresses.ts'
import { showNotFound } from './dead-end.ts'
import { type FlowRequest, show } from './flow-request.ts'

/**
 * Shows the captured mail of a tenant in developer mode. The links in this mail open accounts, so
 * clients on other machines need an API key of the tenant.
 */
export async function showOutbox(flow: FlowRequest): Promise<void> {
  const { context, tenant } = flow
  if (!opensDeveloperMode(context.domain, tenant)) return showNotFound(flow)
  if (!isThisMachine(flow) && !(await hasApiKey(flow))) {
    const page = { title: 'outboxTitle', text: 'outboxKey' } as const
    // With this header, browsers ask for a name and a password. Scripts may send the key as a
    // bearer token.
    return show(flow, 401, 'message', page, { 'www-authenticate': 'Basic realm="API key"' })
  }
  const mails = await context.outbox.list(tenant.id)
  show(flow, 200, 'outbox', {
    mails: mails.map(({ to, subject, text, link, at }) => ({
      to,
      subject,
      text,
      link,
      at: new Date(at).toISOString().slice(0, 19),
    })),
  })
}

/**
 * Whether the request comes from this machine. The issuer's host must be a loopback host, too,
 * because a local proxy forwards requests of strangers.
 */
function isThisMachine({ facts }: FlowRequest): boolean {
  const isLocal = facts.clientIp === '' || isLoopbackHost(facts.clientIp)
  return isLocal && isLoopbackHost(new URL(facts.issuer).hostname)
}

const UNSTORED_USE = 'The last use of an API key could not be stored.'

/**
 * Whether the request has an API key of the tenant: as a bearer token, or as the password with any
 * name. A read-only key is not enough, because a link in a message changes something.
 */
async function hasApiKey({ context, tenant, request }: FlowRequest): Promise<boolean> {
  const { authorization = '' } = request.headers
  const basic = /^basic +(\S+)$/i.exec(authorization)?.[1]
  const decoded = basic && Buffer.from(basic, 'base64').toString()
  const header = decoded ? `Bearer ${decoded.replace(/^[^:]*:/, '')}` : authorization
  const report = (err: unknown) => context.logger.warn({ err }, UNSTORED_USE)
  const { kind, key } = await authenticate(context.domain, header, report)
  return kind === 'good' && !key.readOnly && reaches(key, tenant.id)
}
