import { showNotFound } from './dead-end.ts'
import { type FlowRequest, show } from './flow-request.ts'

/** Shows the mail that a tenant in developer mode would have sent. */
export async function showOutbox(flow: FlowRequest): Promise<void> {
  const { context, tenant } = flow
  if (!tenant.settings.developerMode) return showNotFound(flow)
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
