import type { ConsoleRoute } from './call.ts'
import { auditRoutes } from './routes/audit.ts'
import { keyRoutes } from './routes/keys.ts'
import { operatorRoutes } from './routes/operators.ts'
import { overviewRoutes } from './routes/overview.ts'
import { tenantRoutes } from './routes/tenants.ts'
import { userRoutes } from './routes/users.ts'

/** Every page of the console, and every form. */
export const consoleRoutes: readonly ConsoleRoute[] = [
  ...overviewRoutes,
  ...tenantRoutes,
  ...userRoutes,
  ...keyRoutes,
  ...operatorRoutes,
  ...auditRoutes,
]
