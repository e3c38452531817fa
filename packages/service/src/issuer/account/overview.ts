import { impersonationsOf } from '../../domain/operators/impersonations.ts'
import { acceptsDocuments } from '../../domain/tenants/client-documents.ts'
import { impersonationMode } from '../../domain/tenants/impersonation-mode.ts'
import { isDeletionAllowed } from '../../domain/tenants/tenant-features.ts'
import type { Pages, TextKey } from '../../pages/index.ts'
import { type FlowRequest, show } from '../interaction/flow/flow-request.ts'
import { consentsOf } from '../provider/consents.ts'
import { accountPaths, paths } from '../requests/paths.ts'
import type { Visit } from './entry.ts'
import { showForActing } from './impersonate.ts'

/** The notice after a change, by the parameter `done` of the query. */
const notices: Readonly<Record<string, TextKey>> = {
  profile: 'accountSaved',
  email: 'accountEmailDone',
  password: 'accountPasswordDone',
}

/** Shows the user's data, with links to change it. */
export async function showOverview(flow: FlowRequest, visit: Visit): Promise<void> {
  const { user, factors } = visit
  const { context, facts, tenant, url } = flow
  const { name = '', given_name = '', family_name = '' } = user.profile
  const ways =
    factors.allKeys.length +
    factors.social.length +
    factors.enrolled.filter((kind) => kind !== 'hardware').length
  const rows: Pages['account']['rows'] = [
    {
      href: accountPaths.profile,
      label: 'accountProfile',
      value: name || `${given_name} ${family_name}`.trim(),
    },
    { href: accountPaths.email, label: 'email', value: user.email },
    ...(tenant.settings.allowPasswords
      ? [{ href: accountPaths.password, label: 'password', about: 'accountPasswordAbout' } as const]
      : []),
    {
      href: accountPaths.security,
      label: 'securityTitle',
      about: ways === 0 ? 'accountSecurityNone' : 'accountSecurityAbout',
    },
    { href: accountPaths.sessions, label: 'sessionsTitle', about: 'accountSessionsAbout' },
    // Tenants without self-described clients can have logins on devices.
    ...(acceptsDocuments(tenant) || (await consentsOf(flow, user.id)).length > 0
      ? [{ href: accountPaths.access, label: 'accessTitle', about: 'accountAccessAbout' } as const]
      : []),
    ...(isDeletionAllowed(tenant)
      ? [
          {
            href: accountPaths.deletion,
            label: 'deletionTitle',
            about: 'accountDeletionAbout',
          } as const,
        ]
      : []),
    // Earlier logins are still shown after the setting is turned off.
    ...(impersonationMode(tenant) !== 'off' ||
    (await impersonationsOf({ context, tenant }, user.id)).length > 0
      ? [
          {
            href: accountPaths.support,
            label: 'supportTitle',
            about: 'accountSupportAbout',
          } as const,
        ]
      : []),
  ]
  if (facts.acting) return showForActing(flow, visit, rows.slice(0, FACTS))
  const done = url.searchParams.get('done') ?? ''
  show(flow, 200, 'account', {
    rows,
    logoutPath: paths.end_session,
    notice: Object.hasOwn(notices, done) ? notices[done] : undefined,
  })
}

/** The number of rows at the top that are data about the user: name and email address. */
const FACTS = 2

/** The path of the overview, with the notice to show after a change. */
export function overviewAfter(change: 'profile' | 'email' | 'password'): string {
  return `${accountPaths.overview}?done=${change}`
}
