import type { Tenant } from '../store/records.ts'
import { listStranded } from './applications.ts'
import type { Scope } from './context.ts'
import { opensDeveloperMode } from './developer-mode.ts'
import { hasWayIn, methodsWithoutEffect } from './login-methods.ts'

/** What the owner of a tenant should know about its settings, in sentences. */
export async function warningsOf(scope: Scope, tenant: Tenant): Promise<string[]> {
  const { settings } = tenant
  const idle = methodsWithoutEffect(settings)
  const stranded = (await listStranded(scope)).map(({ id, name }) => `${id} "${name}"`)
  const warnings = {
    'Users cannot log in: "allow_passwords" is off, and no other setting allows a way to log in.':
      !hasWayIn(settings),
    [`These settings have no effect, as their login methods are not built: ${idle.join(', ')}.`]:
      idle.length > 0,
    [`Outside developer mode, plain-http URLs do not work, of: ${stranded.join(', ')}.`]:
      stranded.length > 0,
    '"developer_mode" opens no private network and no outbox: the operator has not allowed it.':
      settings.developerMode && !opensDeveloperMode(scope.context, tenant),
  }
  return Object.keys(warnings).filter((sentence) => warnings[sentence])
}
