import { verifyPassword } from '../../domain/passwords.ts'
import { emailKey } from '../../domain/rules.ts'
import { pageHeaders, renderPage } from '../../pages/index.ts'
import { csrfToken } from '../flow-path.ts'
import type { Form } from '../http.ts'
import { factsOf } from '../request-facts.ts'
import type { InteractionRequest } from './interaction.ts'

/** Shows the login form. */
export function showLogin(
  flow: InteractionRequest,
  shown: { email?: string | undefined; failed?: boolean } = {},
): void {
  const { interaction, tenant, response } = flow
  const hint = interaction.params.login_hint
  const html = renderPage('login', {
    companyName: tenant.settings.companyName,
    csrf: csrfToken(interaction.uid),
    email: shown.email ?? (typeof hint === 'string' ? hint : ''),
    failed: shown.failed ?? false,
  })
  response.writeHead(shown.failed ? 422 : 200, pageHeaders)
  response.end(html)
}

/** Checks the submitted password and lets the login go on. */
export async function login(flow: InteractionRequest, form: Form): Promise<void> {
  const { context, tenant, provider, request, response } = flow
  const email = form.get('email') ?? ''
  const user = await context.domain.store.users.findByEmail(tenant.id, emailKey(email))
  const outcome = await verifyPassword(
    context.domain,
    { name: user ? `user:${user.id}` : 'visitor', requestId: factsOf(request).requestId },
    tenant.id,
    user,
    form.get('password') ?? '',
  )
  if (!user || outcome.kind === 'refused') return showLogin(flow, { email, failed: true })

  await provider.interactionFinished(
    request,
    response,
    {
      login: {
        accountId: user.id,
        ts: Date.now() / 1000,
        amr: ['pwd'],
        remember: tenant.settings.rememberLoginSeconds > 0,
      },
    },
    { mergeWithLastSubmission: false },
  )
}
