import type { ConsoleRoute } from './call.ts'
import { operatorRoutes } from './routes/operators.ts'
import { overviewRoutes } from './routes/overview.ts'

/** Every page of the console, and every form. */
export const consoleRoutes: readonly ConsoleRoute[] = [...overviewRoutes, ...operatorRoutes]
