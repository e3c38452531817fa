import type { ConsoleRoute } from '../calls/call.ts'
import { servicePages } from '../pages/service-pages.ts'
import { tenantPages } from '../pages/tenant-pages.ts'
import { destructiveActionRoutes } from './destructive-actions.ts'
import { auditRoutes } from './service/audit.ts'
import { keyRoutes } from './service/keys.ts'
import { operatorRoutes } from './service/operators.ts'
import { overviewRoutes } from './service/overview.ts'
import { searchRoutes } from './service/search.ts'
import { systemRoutes } from './service/system.ts'
import { tenantRoutes } from './service/tenants.ts'
import { applicationRoutes } from './tenant/applications.ts'
import { connectionRoutes } from './tenant/connections.ts'
import { logoRoutes } from './tenant/logo.ts'
import { settingRoutes } from './tenant/settings.ts'
import { signingKeyRoutes } from './tenant/signing-keys.ts'
import { textRoutes } from './tenant/texts.ts'
import { webhookRoutes } from './tenant/webhooks.ts'
import { editUserRoutes } from './users/edit-user.ts'
import { exportUserRoutes } from './users/export-user.ts'
import { impersonateRoutes } from './users/impersonate.ts'
import { importRoutes } from './users/imports.ts'
import { jobRoutes } from './users/jobs.ts'
import { outboxRoutes } from './users/outbox.ts'
import { userRoutes } from './users/user.ts'
import { usersRoutes } from './users/users.ts'

/** All routes of the console: its pages, and the actions of its forms. */
export const consoleRoutes: readonly ConsoleRoute[] = [
  ...overviewRoutes,
  ...searchRoutes,
  ...tenantRoutes,
  ...settingRoutes,
  ...logoRoutes,
  ...textRoutes,
  ...destructiveActionRoutes,
  ...applicationRoutes,
  ...jobRoutes,
  ...importRoutes,
  ...usersRoutes,
  ...editUserRoutes,
  ...exportUserRoutes,
  ...impersonateRoutes,
  ...userRoutes,
  ...outboxRoutes,
  ...connectionRoutes,
  ...webhookRoutes,
  ...signingKeyRoutes,
  ...keyRoutes,
  ...operatorRoutes,
  ...auditRoutes,
  ...systemRoutes,
]

const isPage = (path: string) =>
  consoleRoutes.some((route) => route.method === 'GET' && route.path === path)

/** The navigation of the whole service, without pages that have no route. */
export const serviceNavigation = servicePages.filter(({ path }) => isPage(path))

/** The navigation of a tenant, without pages that have no route. */
export const tenantNavigation = tenantPages.filter(({ path }) =>
  isPage(`/console/t/:tenant${path}`),
)
