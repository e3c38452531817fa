import path from 'node:path'
import { middlewareAdapters, root } from '../../scripts/packages.ts'
import type { Applications } from './adapter-parts.ts'

/** Express has benches of its own: `kit-requests.ts` and `kit-login.ts`. */
const OWN = 'express'

const frameworks = await Promise.all(
  middlewareAdapters()
    .filter(({ name }) => name !== OWN)
    .map(
      async ({ name }): Promise<{ name: string; plugin: string; applications: Applications }> => ({
        name,
        ...(await import(path.join(root, 'packages', name, 'bench/applications.ts'))),
      }),
    ),
)

/** The login plugin that is usual under a framework, by the name of the framework: each adapter has it in its folder `bench`. */
export const plugins: Readonly<Record<string, string>> = Object.fromEntries(
  frameworks.map(({ name, plugin }) => [name, plugin]),
)

/** Every application, by the name of the framework alone, of the plugin, or of the adapter. */
export const adapters: Applications = Object.assign(
  {},
  ...frameworks.map(({ applications }) => applications),
)
