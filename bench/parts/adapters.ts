import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Applications } from './adapter-parts.ts'

const folder = path.join(import.meta.dirname, 'adapters')

const frameworks = await Promise.all(
  readdirSync(folder).map(
    async (file): Promise<{ name: string; plugin: string; applications: Applications }> => ({
      name: path.parse(file).name,
      ...(await import(path.join(folder, file))),
    }),
  ),
)

/** The login plugin that is usual under a framework, by the name of the framework: each has a file in `adapters/`. */
export const plugins: Readonly<Record<string, string>> = Object.fromEntries(
  frameworks.map(({ name, plugin }) => [name, plugin]),
)

/** Every application, by the name of the framework alone, of the plugin, or of the adapter. */
export const adapters: Applications = Object.assign(
  {},
  ...frameworks.map(({ applications }) => applications),
)
