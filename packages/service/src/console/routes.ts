import type { ConsoleRoute } from './call.ts'
import { applicationRoutes } from './routes/applications.ts'
import { auditRoutes } from './routes/audit.ts'
import { connectionRoutes } from './routes/connections.ts'
import { destructiveActionRoutes } from './routes/destructive-actions.ts'
import { editUserRoutes } from './routes/edit-user.ts'
import { exportUserRoutes } from './routes/export-user.ts'
import { impersonateRoutes } from './routes/impersonate.ts'
import { importRoutes } from './routes/imports.ts'
import { jobRoutes } from './routes/jobs.ts'
import { keyRoutes } from './routes/keys.ts'
import { logoRoutes } from './routes/logo.ts'
import { operatorRoutes } from './routes/operators.ts'
import { outboxRoutes } from './routes/outbox.ts'
import { overviewRoutes } from './routes/overview.ts'
import { searchRoutes } from './routes/search.ts'
import { settingRoutes } from './routes/settings.ts'
import { signingKeyRoutes } from './routes/signing-keys.ts'
import { systemRoutes } from './routes/system.ts'
import { tenantRoutes } from './routes/tenants.ts'
import { textRoutes } from './routes/texts.ts'
import { userRoutes } from './routes/user.ts'
import { usersRoutes } from './routes/users.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { servicePages } from './service-pages.ts'
import { tenantPages } from './tenant-pages.ts'

/** Every page of the console, and every form. */
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

/** The navigation of the whole service, as far as there are pages. */
export const serviceNavigation = servicePages.filter(({ path }) => isPage(path))

/** The navigation of a tenant, as far as there are pages. */
export const tenantNavigation = tenantPages.filter(({ path }) =>
  isPage(`/console/t/:tenant${path}`),
)
